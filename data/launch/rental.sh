#!/usr/bin/env bash
#remarks
set -euo pipefail
set -m # each step is a process group, so that it can be ended as a whole
umask 077
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
here=$PWD
name=@name@
#needs
ssh=()
while IFS= read -r word; do
  ssh+=("$word")
done < <(xargs -n 1 printf '%s\n' <<<"${SWEETSPOT_SSH:-ssh}") # which understands quotes
#ssh
ssh+=(-T -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5 -o ServerAliveCountMax=3)

create() {
#create
}

destroy() {
#destroy
}

reach() {
  until "${ssh[@]}" -- "$name" true </dev/null 2>>log; do
    sleep 2
  done
}

# A path in the list begins with ./, so that none is taken for an option.
copy() {
  COPYFILE_DISABLE=1 tar -C @folder@ --null -T "$here/files" -czf - |
    "${ssh[@]}" -- "$name" "mkdir -p $name/work && tar -xzof - -C $name/work"
}

setup() {
  "${ssh[@]}" -- "$name" 'bash -s' <setup.sh >&2
}

probe() {
  cd -- @folder@
  exec @probe@
}

say() { echo "sweetspot: $*" >&2 || :; }

stop() {
  if [ -n "$1" ]; then
    kill -TERM -- "-$1" 2>/dev/null || :
    wait "$1" 2>/dev/null || :
  fi
}

# Runs a step in the background: Bash would see a signal only after one in front.
step='' dog=''
run() {
  "$@" </dev/null &
  step=$!
  wait "$step"
  step=''
}

end() {
  code=$?
  trap '' INT TERM HUP USR1
  trap - EXIT
  set +e
  stop "$step"
  stop "$dog"
  say "ending $name"
  if [ -e started ] && [ ! -e created ]; then
    destroy >>log 2>&1 </dev/null
    sleep 10 # what was ordered last may appear only now
  fi
  if destroy >>log 2>&1 </dev/null; then
    : >ended
    say "$name has ended"
  else
    say "$name could not be ended (see $here/log). By its limit it ends after @limit@ of use. Try again:" \
      "bash '$here/rent.sh' end. What still runs:" @hint@
    code=1
  fi
  exit "$code"
}

trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
trap 'say "$name did not start in time (see $here/log)"; exit 1' USR1
if [ "${1:-}" = end ]; then
  exit 0
fi

: >started
{
  for ((i = 0; i < @start@; i += 5)); do
    sleep 5
    kill -0 $$ || exit 0 # its number may soon be another's
  done
  kill -USR1 $$
} </dev/null >/dev/null 2>&1 &
dog=$!
say "renting $name"
run create
: >created
run reach
stop "$dog"
dog=''
say "copying the folder"
run copy
say "setting up the environment"
run setup
say "probing"
run probe
