#!/usr/bin/env bash
# Sets up, builds the server, writes sample data, serves it over HTTPS on this machine, and shows
# three requests with their answers. Safe to repeat; all its files are in build/.
#   examples/demo.sh            show, then stop the server
#   examples/demo.sh --serve    show, then keep serving until Ctrl-C
# The environment's PORT and EVENTS set the port (default: a free one) and the number of events.
# Shares its build folder with tests/run.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
bash .ci/setup demo

dir=build/demo
build=build/release
echo "demo: building the server and the generator of sample data"
# Optimised as by the preset of the tests, in two thirds of the time of a server to deploy. Warnings are errors only
# in CI, where the tests that follow compile everything so.
CXX=${CXX:-g++} cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DSLUICE_BUILD_EXAMPLES=ON \
    -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" ${CI:+-DSLUICE_WERROR=ON} --log-level=WARNING >/dev/null
cmake --build $build --parallel "$(nproc)" --target sluice_example_server sluice_example_sample

echo "demo: making sample data that ends now"
rm -rf $dir/data
mkdir -p $dir
$build/examples/sample $dir/data --events "${EVENTS:-20000}" --seed 1

echo "demo: making a certificate for localhost"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
    -keyout $dir/key.pem -out $dir/cert.pem 2>/dev/null

free_port='import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
port=${PORT:-$(python3 -c "$free_port")}
token=demo_$(openssl rand -hex 12)
SLUICE_TOKEN=$token $build/examples/server --data $dir/data --host 127.0.0.1 --port "$port" \
    --certfile $dir/cert.pem --keyfile $dir/key.pem >$dir/server.log 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true' EXIT

base=https://localhost:$port
request() { curl -sS --noproxy localhost --cacert $dir/cert.pem -H "Authorization: Bearer $token" "$@"; }

# The server answers once its data is loaded.
for ((tries = 0; ; tries++)); do
    request -o /dev/null "$base/tags" 2>/dev/null && break
    if ((tries == 150)) || ! kill -0 $server 2>/dev/null; then
        echo "demo: the server did not start:" && cat $dir/server.log && exit 1
    fi
    sleep 0.2
done

# Requests a path; writes the answer to files and the status to standard output.
fetch() { request -D $dir/head -o $dir/body -w '%{http_code}' "$base$1"; }

# Prints a request's command line, its answer's head, and the first lines of its body.
print() {
    printf '\n$ curl --cacert %s -H "Authorization: Bearer $TOKEN" "%s"\n' $dir/cert.pem "$base$1"
    tr -d '\r' <$dir/head
    python3 -m json.tool --no-ensure-ascii --indent 2 $dir/body | sed -n "1,$2p;$(($2 + 1))s/.*/  .../p"
}

show() {
    fetch "$1" >/dev/null
    print "$@"
}

printf '\n== A page of clicks from the United States or Canada, but not on mobiles\n'
show '/events?country=US,CA&device=-Mobile&limit=2' 24
sleep 1
printf '\n== An error that points at the byte where it is\n'
show '/events?country=US,-CA' 10
printf '\n== More requests than the plan allows in a second\n'
for ((sent = 0; sent < 50; sent++)); do
    [[ $(fetch '/events?limit=1') != 429 ]] || break
done
print '/events?limit=1' 10

if [[ ${1:-} == --serve ]]; then
    printf '\ndemo: serving %s until Ctrl-C; TOKEN=%s\n' "$base" "$token"
    trap 'exit 0' INT
    wait $server
fi
