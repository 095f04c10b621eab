"""Is an exported journal what the T4 schema asks for?

  python3 t4_schema_test.py PROGRAM JOURNAL SCHEMA

Knows the few keywords that the schema uses, and refuses a schema that uses others.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

TYPES = {"object": dict, "array": list, "string": str, "number": (int, float)}
NO_RULES = {"$schema", "$id", "description", "example"}
KEYWORDS = NO_RULES | {"type", "properties", "items", "required", "enum", "pattern"}


def faults(value, schema, where="the file"):
    unknown = set(schema) - KEYWORDS
    assert not unknown, f"the schema uses {unknown}, which this test does not know"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not isinstance(value, tuple(TYPES[name] for name in types if name != "number") +
                                ((int, float) if "number" in types else ())):
        yield f"{where} is {value!r}, not of type {types}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is {value!r}, none of {schema['enum']}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{where} is {value!r}, not like {schema['pattern']}"
    for name in schema.get("required", []):
        if name not in value:
            yield f"{where} has no {name}"
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            yield from faults(value[name], inner, f"{where}: {name}")
    for i, item in enumerate(value if "items" in schema else []):
        yield from faults(item, schema["items"], f"{where}[{i}]")


def main():
    program, journal, schema = sys.argv[1:]
    with open(schema) as file:
        schema = json.load(file)
    broken = {"schema_version": "1", "results": [{"times": {}, "invalidity": "odd", "correctness": "1"}]}
    assert len(list(faults(broken, schema))) == 4, "the check itself is blind"
    with tempfile.TemporaryDirectory() as folder:
        exported = os.path.join(folder, "exported.json")
        subprocess.run([program, "replay", journal, "--export", "t4", exported], check=True)
        with open(exported) as file:
            found = list(faults(json.load(file), schema))
    sys.exit("\n".join(found[:20]) or None)


if __name__ == "__main__":
    main()
