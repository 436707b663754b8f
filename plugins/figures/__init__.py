"""Every figure, in SDMetrics' colours, for the quality report, assessments and the page."""
