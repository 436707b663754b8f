"""How many synthetic rows match a person on subsets of columns, and how near the nearest are."""
