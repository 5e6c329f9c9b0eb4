# sweetspot: the few commands of the project. `make` lists them.

LINT_VERSION := v2.15.0
LINT         := bin/golangci-lint-$(LINT_VERSION)

# Both the race detector and SQLite need cgo.
export CGO_ENABLED := 1

.DEFAULT_GOAL := help
.PHONY: help run build setup test race test-frameworks test-serving test-cluster bench accuracy fuzz wander faults syncs mutate lint picture release clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile

run: ## open the advisor; ARGS="rank --json" passes arguments
	go run ./cmd/sweetspot $(ARGS)

build: ## build bin/sweetspot
	go build -trimpath -o bin/sweetspot ./cmd/sweetspot

setup: ## install what the tests need, or say what they will skip
	@scripts/setup

# More packages at a time than there are cores: many tests wait for other programs, or for
# the disk. What go vet says, lint says, too.
test: setup ## run every test
	go test -vet=off -p $$((2 * $$(getconf _NPROCESSORS_ONLN))) -timeout 20m ./...

# Only packages that start goroutines or lock something can have a race.
race: setup ## run the tests of what works in parallel again, in a short form, with the race detector
	go test -race -short -timeout 30m $$(grep -rlE --include='*.go' --exclude='*_test.go' \
		'(^|\s)go (func|[a-z]+[.(])|\.Go\(|sync\.|atomic\.' cmd data engine probes tui | xargs -n1 dirname | sort -u | sed 's,^,./,')

test-frameworks: ## test with today's PyTorch, what stands on it, and SkyPilot, from PyPI; SHORT=1 does the least of it
	@scripts/frameworks $(if $(SHORT),--short)

test-serving: ## test the probe of servers with transformers' own, from PyPI; minutes
	@scripts/frameworks --serving

test-cluster: ## probe 60 matrices on a real Slurm, set up on this machine, with faults; SHORT=1 only three
	@scripts/cluster test $(if $(SHORT),-short)

bench: ## run the benchmarks; BENCH=Scrub picks some, with their aims
	@scripts/bench '$(or $(BENCH),.)'

accuracy: ## measure the predictors on published measurements; DATA=folder
	@go run ./scripts/accuracy -data '$(or $(DATA),../shared/data)'

fuzz: ## run every fuzz target in turn; FUZZTIME=10m each, FUZZ=name picks some
	@scripts/fuzz $(or $(FUZZTIME),1m) $(FUZZ)

wander: ## drive all screens by random keys from SEEDS=200 seeds, with probes, and leave by ctrl-c
	go test ./tui -run RandomKeys -wanders $(or $(SEEDS),200) -timeout 2h

faults: ## fail every write of imports, merges, deletions and renames to the disk, and 200 of probes; 10 minutes
	SWEETSPOT_DISKFAULTS=all go test -v -timeout 1h -run FailingDisk ./data/store ./e2e

syncs: ## try 10,000 random schedules of five databases that sync, crash and change meanwhile; 20 minutes
	go test ./data/store -run SyncsConverge -v -schedules $(or $(SCHEDULES),10000) -timeout 5h

mutate: ## try COUNT=300 small faults, drawn with SEED=1, and say which no test notices; hours
	@scripts/mutate --count $(or $(COUNT),300) --seed $(or $(SEED),1) --out bin/mutants.jsonl

lint: $(LINT) ## gofmt, tidy go.mod and golangci-lint
	@test -z "$$(gofmt -l .)" || { echo 'gofmt wants changes in:'; gofmt -l .; exit 1; }
	go mod tidy -diff
	$(LINT) run

# A version in the name: another version is another file, so nothing is checked
# and nothing stale is used.
$(LINT):
	GOBIN=$(CURDIR)/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv bin/golangci-lint $@

picture: setup ## record docs/session.svg, the short session in the README
	@scripts/picture

release: ## build bin/release: binaries for linux/amd64 and arm64, completions, man page, checksums; VERSION=v1.2.3
	@scripts/release

clean: ## remove what was built
	rm -rf bin
