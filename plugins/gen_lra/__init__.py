"""Gen-LRA, membership disclosure: whose joining makes the synthetic rows around them likelier."""
