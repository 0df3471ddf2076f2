module inference-stacks/test/e2e/modules/kube-score

go 1.26

tool github.com/zegl/kube-score/cmd/kube-score

require github.com/zegl/kube-score v1.20.0
