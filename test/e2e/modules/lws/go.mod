module inference-stacks/test/e2e/modules/lws

go 1.26

tool sigs.k8s.io/lws/cmd

require sigs.k8s.io/lws v0.9.0
