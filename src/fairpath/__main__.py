"""Show the paths and blocks of an example: ``python -m fairpath``."""

from fairpath.datasets import adult_graph
from fairpath.paths import arrange


def main() -> None:
    """Print how sex can reach a prediction of income in the Adult census graph."""
    example = adult_graph()
    print(f"{example.graph!r}\n")
    unconditional = arrange(
        example.graph,
        sensitive=example.sensitive,
        inputs=example.inputs,
        outcome=example.outcome,
    )
    print(f"Demographic parity\n\n{unconditional}\n")
    conditional = arrange(
        example.graph,
        sensitive=example.sensitive,
        inputs=example.inputs,
        given=[example.outcome],
    )
    print(f"Relative to the outcome, as for equalized odds\n\n{conditional}")


if __name__ == "__main__":
    main()
