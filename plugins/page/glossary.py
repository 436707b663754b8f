"""The page's words: each number is explained, by a button beside it and at the page's end."""

from __future__ import annotations

from typing import NamedTuple


class Word(NamedTuple):
    """A word of the page.

    Attributes:
        key: Its place on the page.
        name: The word.
        meaning: What it says, for somebody who is no statistician.
    """

    key: str
    name: str
    meaning: str


GLOSSARY = tuple(
    Word(*word)
    for word in (
        (
            "interval",
            "Interval",
            "Every number is an estimate from the rows at hand. The interval, in square brackets, "
            "is where the truth is to be expected. A limit is kept if the whole interval is below "
            "it, broken if it is all above; else the data do not decide.",
        ),
        (
            "risk",
            "Risk",
            "The share of people whose true value an attacker names with confidence, from what "
            "the attacker knows of them and the synthetic data. 0 is nobody, 1 is everybody.",
        ),
        (
            "chance",
            "Chance",
            "The same share where the true values are shuffled among people: what guessing gives, "
            "even from data that give nothing away.",
        ),
        ("excess", "Excess over chance", "The risk minus what chance gives."),
        (
            "holdout",
            "Holdout",
            "Real people whom the synthesizer never saw. What an attacker learns about them too is "
            "a pattern of the population, not a leak about those in the data.",
        ),
        (
            "difference",
            "Training minus holdout",
            "The risk of people in the training data minus that of the holdout: what the data give "
            "away because somebody took part.",
        ),
        (
            "auc",
            "AUC",
            "Take one person who was in the data and one who was not: how often the attack picks "
            "the right one. 0.5 is a coin; 1 is always.",
        ),
        (
            "rate",
            "Members found",
            "The share of people in the data whom the attack names, while it accuses only the "
            "stated share of outsiders in vain. A few people may be found even if the average is "
            "harmless.",
        ),
        (
            "advantage",
            "Advantage",
            "The largest gap between members found and outsiders accused. 0 is guessing, 1 is "
            "certainty.",
        ),
        (
            "epsilon",
            "Epsilon",
            "The bound of differential privacy. What is shown is what it is at least, by the "
            "attacks that were run: 0 is no evidence of a leak, and no proof that there is none.",
        ),
        (
            "p",
            "p",
            "How often a result as high would come about if nothing were given away. Small values "
            "speak against chance.",
        ),
        (
            "tau",
            "Tau",
            "How sure a guess of a class must be to count: how much more probable the attacker "
            "holds the true value than its share among all people suggests.",
        ),
        (
            "tolerance",
            "Tolerance",
            "How near a guess of a number must come to count, as a share of the true value. In the "
            "metric's options it is named epsilon; it is not the privacy bound of that name.",
        ),
        (
            "odds",
            "Log-odds",
            "How much more often (above 0) or less often (below 0) people are at risk for one more "
            "step of a number, or with this value instead of the first; the standard error says "
            "how well that is known.",
        ),
        (
            "protection",
            "Protection",
            "A metric's score turned so that 1 is best and 0 worst.",
        ),
    )
)
# Heads of tables and names of facts that a button explains.
EXPLAINED = {
    "Found, with interval": "interval",
    "Risk": "risk",
    "Risk on the holdout": "holdout",
    "Risk with it left out": "risk",
    "Chance": "chance",
    "By chance alone": "chance",
    "Excess over chance": "excess",
    "Holdout": "holdout",
    "On the holdout": "holdout",
    "Training minus holdout": "difference",
    "AUC": "auc",
    "p": "p",
    "Advantage": "advantage",
    "Epsilon": "epsilon",
    "Epsilon, at least": "epsilon",
    "tau": "tau",
    "tolerance": "tolerance",
    "Log-odds": "odds",
    "Standard error": "odds",
    "Protection (1 is best)": "protection",
}
# Of the policy's limits; another's is explained by what an interval is.
LIMIT_WORDS = {
    "excess_max": "excess",
    "risk_max": "risk",
    "auc_max": "auc",
    "tpr_at_fpr_max": "rate",
    "epsilon_max": "epsilon",
}
