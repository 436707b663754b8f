"""What a disclosure metric is: the class to inherit from, the options and results all share."""
