"""Disclosure inside SDMetrics' own quality report."""
