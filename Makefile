# Short names for the commands of this repository: each target is one npm or pulumi command, after those of the targets that it
# needs, and `make -n <target>` shows them. GNU Make 3.81 or later, which macOS has too.
#
#   ENV=<environment>  of Pulumi.<environment>.yaml
#   BUNDLE=<folder>    of `make bundle`: install from it, without internet
#   ARGS=...           more options of the command: make plan ENV=dev ARGS=--tree

.DEFAULT_GOAL := help
.PHONY: help try plan install up use-bundle destroy status smoke bundle

environments := $(sort $(patsubst Pulumi.%.yaml,%,$(wildcard Pulumi.*.yaml)))
# ENV is also what some shells call their start-up file: no environment is meant by that.
ifeq ($(origin ENV)$(filter $(ENV),$(environments)),environment)
override ENV :=
endif
# make -n shows the command of any environment.
dry := $(findstring n,$(filter-out --%,$(firstword -$(MAKEFLAGS))))
example := $(if $(dry),<environment>)
# What was asked for: the message names it, whichever target it comes from.
goal = $(or $(firstword $(MAKECMDGOALS)),$@)
missing = name an environment: make $(goal) ENV=<environment>, one of $(environments)
unknown = there is no Pulumi.$(ENV).yaml: make $(goal) ENV=<environment>, one of $(environments)
unasked = name an environment, or the address: make smoke ENV=<environment>, or make smoke ARGS="--url https://<hostname>"
several = name one environment, not $(words $(ENV)) ($(ENV)): make $(goal) ENV=<environment>, one of $(environments)
known = $(if $(word 2,$(ENV)),$(error $(several)),$(if $(filter $(ENV),$(environments)),$(ENV),$(error $(unknown))))
# Make takes a list of words where one folder is meant.
spaced = BUNDLE=$(BUNDLE) has a space in it: name a folder without one, as k3s and Helm are given its path too
folder = $(if $(word 2,$(BUNDLE)),$(error $(spaced)),$(BUNDLE))
env = $(if $(ENV),$(known),$(or $(example),$(error $(missing))))

# What `npm run try` wrote, for its stack alone, and where the user has no passphrase of their own.
ifeq ($(ENV)$(origin PULUMI_CONFIG_PASSPHRASE)$(origin PULUMI_CONFIG_PASSPHRASE_FILE),tryundefinedundefined)
ifneq ($(wildcard .try/passphrase),)
export PULUMI_CONFIG_PASSPHRASE_FILE := $(abspath .try/passphrase)
endif
endif

help:
	@echo 'make try                             a cluster on this computer, the platform, a first answer'
	@echo 'make plan ENV=<environment>          what it makes, whether the models fit, what it costs'
	@echo 'make install ENV=<environment>       make the cluster, where it is made here, and the platform; again: what changed'
	@echo '             BUNDLE=<folder>         the same without internet, from what make bundle wrote'
	@echo 'make up ENV=<environment>            the same without the check of the models at its end'
	@echo 'make status ENV=<environment>        what runs, and why something does not answer'
	@echo 'make smoke ENV=<environment>         check the models of a running platform in seven steps'
	@echo '           ARGS="--url <address>"    ... or what answers at an address'
	@echo 'make bundle ENV=<environment>        what an installation without internet needs'
	@echo '             BUNDLE=<folder>         ... fetched into that folder'
	@echo 'make destroy ENV=<environment>       remove what install made'
	@echo
	@echo 'Environments: $(environments)'
	@echo 'make -n <target> shows the commands that a target is.'

try:
	@# Says what is missing on this computer, or makes a cluster with k3d or kind, brings the platform up, asks its model.
	@# All of it goes away again by: make try ARGS=--remove
	npm run -s try -- $(ARGS)

plan:
	@# Needs Node alone: no cluster, no credentials. Status 0 means deployable.
	npm run -s plan -- $(env) $(ARGS)

install: up
	@# Waits until the models are ready, and asks them through the gateway. Models that still start do not fail it; what is
	@# broken does. Ctrl-C ends the check alone: the platform stays. Address and keys: from the stack and its cluster.
	npm run -s smoke -- $(env)

up: $(if $(BUNDLE),use-bundle)
	@# Shows a preview and asks. Makes the cluster where the environment says provision: create, else uses the one that
	@# exists; then the platform. Run again it changes what differs, and goes on where a run was interrupted.
	@# State: wherever `pulumi login` says. A stack that is not there yet: pulumi offers to make it (in CI: pulumi stack init).
	@# What `make plan` refuses is refused here as well: by the program, and by the policies.
	pulumi up --stack $(env) --policy-pack policies $(ARGS)

# `pulumi up --config-path` would write the same, and drop all else that stands under cluster (Pulumi 3.259).
use-bundle:
	@# Writes the folder into the environment's file: charts, images, k3s and models come from there, and from nowhere else.
	pulumi config set --stack $(env) --path inference-stacks:cluster.k3s.bundle $(abspath $(folder))

destroy:
	@# Shows what goes and asks. A cluster that install made goes with all that is in it; one that existed stays.
	@# In production volumes and keys are protected, and pulumi refuses: pulumi state unprotect --all --stack <environment> first.
	pulumi destroy --stack $(env) $(ARGS)

status:
	@# Only reads. A cluster that install made: ARGS="--kubeconfig <file>" (docs/status.md).
	npm run -s status -- $(env) $(ARGS)

smoke:
	@# Asks as users do: health, pull, latency, concurrent requests, unload, stop worker.
	npm run -s smoke -- $(if $(ENV),$(known) )$(or $(ARGS),$(if $(ENV),,$(if $(dry),--url <address>,$(error $(unasked)))))

bundle:
	@# On a computer with internet: lists what is needed, and fetches it into BUNDLE. Carry the folder over, then: make install ENV=<environment> BUNDLE=<folder>
	npm run -s bundle -- $(env) $(if $(BUNDLE),--out $(folder)) $(ARGS)
