module inference-stacks/test/e2e/modules/kwok

go 1.26

tool sigs.k8s.io/kwok/cmd/kwok

require sigs.k8s.io/kwok v0.8.0
