#!/usr/bin/env bash
# The examples of deployments, as they stand, on root's Debian 12 with podman, crun and systemd-container:
#   tests/deploy.sh container    builds the container file, runs what it made, and asks it
#   tests/deploy.sh unit         starts the unit under a systemd that boots, asks it, reloads and stops it
# The unit runs the server of the container. Debian's minimum, by .ci/bare, is the image that the container
# file starts from, where no registry of images is reached. Data and keys are made by .venv's sluice.
# Everything is in build/deploy, and each part runs in namespaces of its own, without a network.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$PWD/build/deploy
base=https://localhost:8443

podman() { command podman --root "$folder/images" --runroot "$folder/running" --storage-driver vfs "$@"; }

# alone FUNCTION: runs it in a mount and a network namespace of its own.
alone() { unshare --mount --net --pid --fork --kill-child --mount-proc bash "$0" "$1"; }

# make_root NAME PACKAGES: a Debian in build/deploy/NAME.
make_root() {
    [[ ! -d $folder/$1 ]] || return 0
    mkdir -p "$folder/$1.new"
    BARE_PACKAGES=ca-certificates,$2 unshare --mount --pid --fork --mount-proc bash .ci/bare make "$folder/$1.new"
    bash .ci/bare connect "$folder/$1.new"
    mv "$folder/$1.new" "$folder/$1"
}

# Records, two keys and a certificate, as the unit and the container file want them.
make_inputs() {
    local etc=$folder/etc
    mkdir -p "$etc"
    [[ -f $folder/data/tags.ndjson ]] || .venv/bin/python -m sluice sample "$folder/data"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout "$etc/key.pem" -out "$etc/cert.pem" 2>/dev/null
    write_keys first
    chmod 644 "$etc/key.pem" # the container's nobody reads it
}

# write_keys TOKEN: the file of keys, with one.
write_keys() {
    local hash
    hash=$(printf %s "$1" | sha256sum)
    printf '[{"sha256": "%s", "workspaceId": "ws_default", "plan": "business", "permissions": ["analytics.read"]}]' \
        "${hash%% *}" >"$folder/etc/keys.json"
}

# status TARGET [TOKEN]: what the server answers.
status() {
    curl -sS --noproxy '*' --cacert "$folder/etc/cert.pem" -o "$folder/body" -w '%{http_code}' -H "Authorization: Bearer ${2:-}" "$base$1"
}

# expect STATUS TARGET [TOKEN]
expect() {
    local code
    code=$(status "${@:2}") || true
    echo "GET $2${3:+ (key: $3)}: $code, $(wc -c <"$folder/body") bytes"
    [[ $code == "$1" ]]
}

# The server answers once its data is loaded.
wait_for_it() {
    for ((tries = 0; tries < 150; tries++)); do
        [[ $(status /healthz 2>/dev/null) != 200 ]] || return 0
        sleep 0.2
    done
    echo "no answer" && return 1
}

ask() {
    wait_for_it
    expect 200 /healthz
    expect 200 /readyz
    grep -q '"status":"ok"' "$folder/body"
    expect 200 '/events?interval=all&country=US&limit=3' first
    [[ $(grep -o '{"event":' "$folder/body" | wc -l) == 3 ]]
    expect 401 /events
    expect 400 '/events?country=US,-CA' first
}

container() {
    make_inputs
    make_root image ""
    tar -C "$folder/image" -c . | podman import --quiet - docker.io/library/debian:bookworm-slim
    podman build --quiet --isolation=chroot --tag sluice --file examples/deploy/Containerfile .
    podman image inspect --format '{{.User}} {{.Size}}' sluice
    alone run_container
}

# The line of the container file, but for what a machine without cgroups and some limits needs.
run_container() {
    ip link set lo up
    ! mountpoint -q /sys/fs/cgroup/unified || umount /sys/fs/cgroup/unified # crun takes no mixed ones
    podman run --detach --name served --replace --cgroups=disabled --network=host --ulimit=nofile=16384:16384 \
        --ulimit=nproc=1000:1000 --log-driver=k8s-file --read-only --cap-drop=all \
        -v "$folder/data:/data:ro" -v "$folder/etc:/etc/sluice:ro" sluice
    ask
    podman exec served head -n 12 /proc/1/status | grep -E '^Uid:\s+65534\s'
    write_keys second
    podman kill --signal HUP served >/dev/null
    until expect 200 '/events?limit=1' second; do sleep 0.2; done
    podman stop --time 20 served >/dev/null
    podman logs served | tail -n 2
    [[ $(podman inspect --format '{{.State.ExitCode}}' served) == 0 ]]
    podman rm served >/dev/null
}

# A Debian with systemd and what is in the container, whose records and keys are where the unit wants them.
make_system() {
    local root=$folder/system
    rm -rf "$root"
    mkdir -p "$root"
    podman create --name laid_out --replace sluice >/dev/null
    podman export laid_out | tar -C "$root" -xf -
    podman rm laid_out >/dev/null
    bash .ci/bare connect "$root"
    chroot "$root" sh -c 'apt-get -qq update && apt-get -qq install -y --no-install-recommends curl dbus \
        openssl procps systemd systemd-sysv >/dev/null 2>&1'
    mkdir -p "$root"/{etc/sluice,var/lib/sluice,srv/tests,srv/build/deploy}
    cp -r "$folder/data" "$root/var/lib/sluice/"
    ln -s /etc/sluice "$root/srv/build/deploy/etc"
    cp "$folder"/etc/* "$root/etc/sluice/"
    chroot "$root" useradd --system --no-create-home --shell /usr/sbin/nologin sluice
    chroot "$root" sh -c 'chown root:sluice /etc/sluice/* && chmod 640 /etc/sluice/*'
    cp examples/deploy/sluice.service "$root/etc/systemd/system/"
    cp tests/deploy.sh "$root/srv/tests/"
    enable_check
}

# At the end of its boot it asks the unit, and powers off.
enable_check() {
    cat >"$folder/system/etc/systemd/system/check.service" <<END
[Service]
Type=oneshot
ExecStart=/bin/bash /srv/tests/deploy.sh check
ExecStopPost=/bin/systemctl --no-block poweroff
StandardOutput=file:/srv/said
StandardError=inherit
END
    mkdir -p "$folder/system/etc/systemd/system/multi-user.target.wants"
    ln -s ../check.service "$folder/system/etc/systemd/system/multi-user.target.wants/"
}

unit() {
    make_inputs
    make_system
    alone boot || true
    cat "$folder/system/srv/said"
    [[ $(tail -n 1 "$folder/system/srv/said") == "checked" ]]
}

boot() {
    ip link set lo up
    timeout 300 systemd-nspawn --boot --register=no --keep-unit --directory="$folder/system" >"$folder/boot.log" 2>&1
}

# What the system runs that boots.
check() {
    systemctl start sluice
    ask
    local process
    process=$(systemctl show --value --property MainPID sluice)
    awk '/^Uid:/ { print; exit $2 == 0 }' /proc/"$process"/status
    grep NoNewPrivs "/proc/$process/status"
    curl -sS http://127.0.0.1:9464/metrics | grep sluice_store_rows
    write_keys second
    systemctl reload sluice
    until expect 200 '/events?limit=1' second; do sleep 0.2; done
    systemd-analyze --no-pager security sluice | tail -n 1
    systemctl stop sluice
    systemctl show --property Result,ExecMainStatus sluice | grep -c '=\(success\|0\)$' | grep -x 2
    journalctl --no-pager --output cat --unit sluice | tail -n 3
    echo checked
}

"$@"
