module inference-stacks/test/e2e/modules/kubeconform

go 1.26

tool github.com/yannh/kubeconform/cmd/kubeconform

require github.com/yannh/kubeconform v0.8.0
