"""The bundled contract that has every function of an operation."""

from rig.contracts import Contract, read
from rig.data import data_folder
from rig.primitives.definition import Definition


def contract_for(definition: Definition, operation: str) -> Contract:
    """The primitive's own, else the first of its forms."""
    include = data_folder("native") / "include"
    forms = (include / "field" / f"{form}.h" for form in definition.forms)
    roles = definition.operations[operation].roles
    known = (read(path) for path in (include / definition.header, *forms))
    return next(contract for contract in known if set(roles) <= set(contract.roles))
