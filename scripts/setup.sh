#!/bin/sh
# Makes this checkout ready to run: uv, the virtual environment, a Java runtime for Spark and, when asked
# with "tests", the database server, the Kafka broker and the browser that the tests start. Needs Python 3.11+ and a
# package registry; installs Debian packages only when root. Doing it twice changes nothing.
set -eu
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }
as_root() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

# Debian starts a server as soon as its package is there. Nobody asked for one: the tests start their own.
services=/usr/sbin/policy-rc.d
unstarted() { # command...: whatever it installs stays as it is
    if [ -e "$services" ]; then "$@"; return; fi # whose machine it is has said what may start
    trap 'rm -f "$services"' EXIT
    trap 'exit 130' INT TERM HUP
    printf '#!/bin/sh\nexit 101\n' >"$services"
    chmod 755 "$services"
    status=0
    "$@" || status=$?
    rm -f "$services"
    trap - EXIT INT TERM HUP
    return "$status"
}

install() { # packages...; the first that exists of those joined by "|" is taken
    as_root || return 1
    [ -n "${APT_READY:-}" ] || { apt-get update -qq >&2 && APT_READY=1; }
    for choice in "$@"; do
        for package in $(printf '%s' "$choice" | tr '|' ' '); do
            if apt-cache show "$package" >/dev/null 2>&1; then
                say "installing $package"
                unstarted env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >&2
                break
            fi
        done
    done
}

if [ "${1:-}" = jdk ]; then # of the version that built the plugin's jar; see scripts/plugin.py
    command -v javac >/dev/null 2>&1 || install openjdk-17-jdk-headless || say "javac is missing; install openjdk-17-jdk-headless"
    command -v javac >/dev/null 2>&1
    exit
fi

if [ "${1:-}" = alerts ]; then # Prometheus and promtool, beside this checkout: the package would start a server
    { command -v promtool && command -v prometheus; } >/dev/null 2>&1 || [ -x .tools/prometheus/usr/bin/promtool ] || {
        command -v apt-get >/dev/null 2>&1 || fail "prometheus and promtool are missing; install Prometheus"
        mkdir -p .tools/prometheus
        say "fetching Prometheus into .tools"
        # Packages may be unknown or gone from the mirror until the lists are new, which only root may make them.
        (cd .tools/prometheus && { apt-get download -qq prometheus || { as_root && apt-get update -qq && apt-get download -qq prometheus; }; } &&
            dpkg-deb -x prometheus_*.deb . && rm prometheus_*.deb) >&2 || fail "apt-get has no prometheus"
    }
    exit 0
fi

if [ "${1:-}" = kubernetes ]; then # what the tests' control plane and helm are built with; see `make test-kubernetes`
    command -v go >/dev/null 2>&1 || fail "Go is missing; install 1.25 or later, from https://go.dev/dl"
    (cd src/penstock/local/kubernetes/control_plane && go mod download) >&2 || fail "Go's proxy has not given its modules"
    exit 0
fi

python=""
for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || fail "no Python 3.11 or newer found; install one, or name it: make test PYTHON=/path/to/python3"

# One version, with its hashes; another one that is installed here may read uv.lock otherwise.
wanted=$(sed -n 's/^uv==\([0-9.]*\).*/\1/p' scripts/uv.txt)
is_wanted() { [ "$("$1" --version 2>/dev/null | cut -d' ' -f2)" = "$wanted" ]; }
uv=uv
if ! is_wanted uv; then
    uv=.tools/bin/uv
    if ! is_wanted "$uv"; then
        if ! "$python" -c 'import ensurepip' 2>/dev/null; then
            install python3-venv || fail "Python lacks venv; install it, for example: apt-get install python3-venv"
        fi
        say "installing uv $wanted into .tools"
        "$python" -m venv .tools
        .tools/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r scripts/uv.txt
    fi
fi
# The system's Python is used as it is: uv must not look for one to download. Its certificates too: a company's
# registry is often known to the system only (the setting has two names, by uv's version).
export UV_PYTHON_DOWNLOADS=never UV_NATIVE_TLS=1 UV_SYSTEM_CERTS=1
if [ "${1:-}" = spark ]; then # an environment of its own for another Spark; all else as new as that allows
    [ -d ".venv-spark-$2" ] || "$uv" venv --quiet --python "$python" ".venv-spark-$2"
    # By itself first: that it cannot be had (75, for now) is another thing than that we do not install beside it.
    VIRTUAL_ENV=".venv-spark-$2" "$uv" pip install --quiet "pyspark==$2.*" ||
        { say "the package registry gives no Spark $2"; exit 75; }
    VIRTUAL_ENV=".venv-spark-$2" "$uv" pip install --quiet --editable '.[all]' --group tests "pyspark[sql]==$2.*"
    # Spark 3.5 holds NumPy below 2, and the newest pyarrow wants 2 without saying so to whoever installs it.
    ".venv-spark-$2/bin/python" -c 'import pyarrow' 2>/dev/null ||
        VIRTUAL_ENV=".venv-spark-$2" "$uv" pip install --quiet 'pyarrow<26'
else
    "$uv" sync --frozen --extra all --quiet --compile-bytecode --python "$python"
fi

if [ "${1:-}" = docs ]; then # what builds the site, in an environment of its own
    UV_PROJECT_ENVIRONMENT=.venv-docs "$uv" sync --frozen --quiet --only-group docs --python "$python"
    exit 0
fi

java_version() {
    "${JAVA_HOME:+$JAVA_HOME/bin/}java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1
}
needs_java() { grep -q '"pyspark' pyproject.toml; }
if needs_java; then
    version=$(java_version || true)
    if [ "${version:-0}" -lt 17 ]; then
        install 'openjdk-17-jre-headless|openjdk-21-jre-headless|default-jre-headless' ||
            fail "Spark needs Java 17 or 21 and none was found; install one, for example: apt-get install openjdk-17-jre-headless"
    fi
fi

if [ "${1:-}" = tests ] && [ -f src/penstock/local/kafka/jars.lock ]; then
    # Cached after the first time: a broker for the tests, and what lets Spark read from it.
    .venv/bin/penstock kafka jars >/dev/null
fi

if [ "${1:-}" = tests ] && [ -f tests/harness/class_archive.py ]; then
    # Once a machine, half a minute of it: a JVM of the tests starts in half the time with Spark's classes ready.
    .venv/bin/python -m tests.harness.class_archive >/dev/null || say "no archive of classes: tests run without, slower"
fi

if [ "${1:-}" = tests ] && [ "$(uname -s)" = Linux ]; then
    # Hosts of their own (penstock cluster up --hosts) are made with these; without them their tests assert the message.
    if ! PATH="$PATH:/usr/sbin:/sbin" command -v tc >/dev/null 2>&1; then
        install iproute2 || say "iproute2 is missing: no hosts of their own; install it, for example: apt-get install iproute2"
    fi
fi

if [ "${1:-}" = tests ] && grep -q '"psycopg' pyproject.toml; then
    if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && ! command -v initdb >/dev/null 2>&1; then
        install postgresql || say "PostgreSQL is missing: its tests will fail; install it, for example: apt-get install postgresql"
    fi
fi

if [ "${1:-}" = tests ] && grep -q '"playwright' pyproject.toml; then
    if ! command -v chromium >/dev/null 2>&1 && ! command -v chromium-browser >/dev/null 2>&1 &&
        ! command -v google-chrome >/dev/null 2>&1; then
        install 'chromium|chromium-browser' ||
            say "Chromium is missing: the tests of the pages will fail; install it, for example: apt-get install chromium"
    fi
fi
