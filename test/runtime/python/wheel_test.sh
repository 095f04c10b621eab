#!/usr/bin/env bash
# Builds the wheel of the package for Python, installs it in a clean virtual environment with pyopencl from PyPI, and runs
# the tests there. Also installs the package without a library. CMakeLists.txt sets the environment. Exit code 77: skipped, for the printed reason.
set -euo pipefail

skip() {
  echo "skipped: $*"
  exit 77
}

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

mkdir -p "$WORK"
rm -rf "$WORK/python" "$WORK/wheels" "$WORK/plain"
"$PYTHON" -m venv "$WORK/python" || skip "python3 cannot create a virtual environment (Debian: install python3-venv)"
pip=("$WORK/python/bin/python" -m pip --disable-pip-version-check)
"${pip[@]}" install --quiet --retries 1 scikit-build-core numpy pyopencl pytest ||
  skip "pip cannot download scikit-build-core, numpy, pyopencl and pytest"

# A build folder that stays makes the next run quick.
"${pip[@]}" wheel --no-deps --no-build-isolation --wheel-dir "$WORK/wheels" --config-settings=build-dir="$WORK/build" "$SOURCE/runtime/python"
wheels=("$WORK"/wheels/*.whl)
[[ ${wheels[*]} == *-py3-none-linux_*.whl ]] || fail "the wheel should fit every Python 3: ${wheels[*]}"
"${pip[@]}" install --quiet --no-deps "${wheels[@]}"
contents=$("$PYTHON" -m zipfile --list "${wheels[0]}")
for file in lib/libtilewright.so bin/tilewright share/tilewright/profiles/generic.toml share/tilewright/profiles/starter/ \
  py.typed __init__.py; do
  [[ $contents == *"tilewright/$file"* ]] || fail "the wheel lacks $file"
done

# Without the build, the package uses the installed library, here that of the wheel.
"${pip[@]}" install --quiet --no-deps --no-build-isolation --target "$WORK/plain" --config-settings=wheel.cmake=false \
  "$SOURCE/runtime/python"
mkdir -p "$WORK/installed"
ln -sf "$(cd "$WORK" && python/bin/python -c 'from tilewright import _files; print(_files.library_file())')" \
  "$WORK/installed/libtilewright.so.0.1"
(cd "$WORK" && PYTHONPATH=$WORK/plain LD_LIBRARY_PATH=$WORK/installed python/bin/python -c '
from tilewright import _files, __version__
assert _files.library_file() == "libtilewright.so.0.1", _files.library_file()') || fail "the installed library is not used"

cd "$WORK" # not among the sources, whose package would be imported
python/bin/tilewright --version
python/bin/tilewright profiles > /dev/null
PYTHONDONTWRITEBYTECODE=1 python/bin/python -m pytest -p no:cacheprovider -q -rs "$SOURCE/test/runtime/python"
