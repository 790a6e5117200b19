"""All steps of an assessment, cheapest first."""

from collections.abc import Iterator

from topoloom.designer.assessment.step import AssessmentStep
from topoloom.designer.assessment.steps.collective import COLLECTIVES
from topoloom.designer.assessment.steps.cost import COST
from topoloom.designer.assessment.steps.failures import DEGRADATION, FAILURES
from topoloom.designer.assessment.steps.growth import GROWTH
from topoloom.designer.assessment.steps.load import LOADED, SATURATED
from topoloom.designer.assessment.steps.tables import TABLES
from topoloom.designer.assessment.steps.throughput import PATTERNED, THROUGHPUT, WORST

#: The steps, cheapest first: all networks take a step before any takes the next.
STEPS: tuple[AssessmentStep, ...] = (
    COST,
    TABLES,
    THROUGHPUT,
    PATTERNED,
    WORST,
    FAILURES,
    LOADED[0],
    *COLLECTIVES,
    DEGRADATION,
    GROWTH,
    *LOADED[1:],
    SATURATED,
)


def steps() -> Iterator[tuple[str, str]]:
    """The names of all steps, and what each computes."""
    return ((step.name, step.words) for step in STEPS)
