#!/usr/bin/env bash
# build_tree_test.sh FILE: runs the tests of a file with the library of the build folder. CMakeLists.txt sets the
# environment. Exit code 77: skipped, for the printed reason.
set -euo pipefail

for module in numpy pytest; do
  "$PYTHON" -c "import $module" 2> /dev/null || {
    echo "skipped: $PYTHON has no $module (Debian: python3-$module)"
    exit 77
  }
done
export PYTHONPATH=$SOURCE/runtime/python PYTHONDONTWRITEBYTECODE=1
status=0
"$PYTHON" -m pytest -p no:cacheprovider -q -rs "$SOURCE/test/runtime/python/$1" || status=$?
# pytest: 5 if no test was collected, because the whole file is skipped.
[[ $status != 5 ]] || exit 77
exit "$status"
