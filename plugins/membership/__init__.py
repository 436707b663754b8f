"""Membership disclosure, whatever the attack: who is judged, and what scores prove.

The holdout's check and halves, what an attack is given, and from scores to AUC, TPR at low FPR,
advantage and the bound on epsilon.
"""
