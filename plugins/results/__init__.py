"""What a disclosure report found, typed: as JSON and back, as rows, and against another one."""
