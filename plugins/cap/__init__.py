"""Attribute disclosure by key groups: TCAP, DiSCO, and SDMetrics' own DisclosureProtection."""
