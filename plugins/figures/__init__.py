"""Every figure, in SDMetrics' colours, for quality report, report, page and assessments."""
