// Modules whose custom resource definitions the tests load; no Go code of theirs is built.
// There is no Go file here, so "go mod tidy" would empty this list: change a version with
// "go mod edit -require=<module>@<version>" and then "go mod download".
module inference-stacks/rehearsal/parts/modules/crds

go 1.26.6

require (
	github.com/argoproj/argo-cd/v3 v3.4.4
	github.com/aws/karpenter-provider-aws v1.14.1
	github.com/cert-manager/cert-manager v1.21.2
	github.com/external-secrets/external-secrets v1.3.2
	github.com/k8snetworkplumbingwg/sriov-network-operator v1.6.0
	github.com/prometheus-operator/prometheus-operator v0.85.0
	istio.io/api v1.30.8
	sigs.k8s.io/gateway-api v1.6.3
	sigs.k8s.io/kueue v0.15.0
)
