"""How packages add to this one: the hooks, the plugin manager, and what the box itself plugs in."""
