import { shapesOf } from "../catalog/shapes";
import type { ProviderFunction } from "./answers";

const ALL_SERVICES = "all-fra-services-in-oracle-services-network";

/** Results of Oracle Cloud functions in their real format. */
export const OCI_CALLS: Readonly<Record<string, ProviderFunction>> = {
  "oci:Identity/getAvailabilityDomains:getAvailabilityDomains": (inputs) => ({
    ...inputs,
    availabilityDomains: [1, 2, 3].map((number) => ({
      compartmentId: inputs.compartmentId,
      id: `ocid1.availabilitydomain.oc1..offline-${number}`,
      name: `oFFl:OFFLINE-AD-${number}`,
    })),
  }),
  "oci:ContainerEngine/getNodePoolOption:getNodePoolOption": (inputs) => ({
    ...inputs,
    images: [],
    kubernetesVersions: [inputs.nodePoolK8sVersion],
    shapes: [],
    sources: nodeImages(String(inputs.nodePoolK8sVersion).replace(/^v/, "")),
  }),
  "oci:ContainerEngine/getClusterKubeConfig:getClusterKubeConfig": (inputs) => ({
    ...inputs,
    content: kubeconfig(String(inputs.clusterId)),
  }),
  "oci:Core/getServices:getServices": (inputs) => ({
    ...inputs,
    services: [
      {
        id: `ocid1.service.oc1.eu-frankfurt-1.offline-${ALL_SERVICES}`,
        name: "All FRA Services In Oracle Services Network",
        description: "All FRA Services In Oracle Services Network",
        cidrBlock: ALL_SERVICES,
      },
    ],
  }),
  // A new compartment.
  "oci:ContainerEngine/getNodePools:getNodePools": (inputs) => ({ ...inputs, id: "pools", nodePools: [] }),
  "oci:Core/getClusterNetworks:getClusterNetworks": (inputs) => ({ ...inputs, id: "networks", clusterNetworks: [] }),
  "oci:Core/getInstancePools:getInstancePools": (inputs) => ({ ...inputs, id: "instance-pools", instancePools: [] }),
  // Region that offers the whole catalogue in sufficient quantity.
  "oci:Core/getShapes:getShapes": (inputs) => ({
    ...inputs,
    id: "shapes",
    shapes: shapesOf("oci").map(({ name, gpu }) => ({
      name,
      isFlexible: name.endsWith(".Flex"),
      quotaNames: quotaNames(name, gpu?.count),
    })),
  }),
  "oci:Limits/getResourceAvailability:getResourceAvailability": (inputs) => ({
    ...inputs,
    id: "availability",
    available: "1000000",
    fractionalAvailability: 1e6,
    fractionalUsage: 0,
    used: "0",
  }),
};

/** `VM.Standard.E5.Flex` has quotas of OCPUs and memory, `BM.GPU.H100.8` of GPUs. */
function quotaNames(shape: string, gpus: number | undefined): string[] {
  const family = shape.split(".").slice(1, -1).join("-").toLowerCase();
  return gpus === undefined ? [`${family}-core-count`, `${family}-memory-count`] : [`${family}-count`];
}

function kubeconfig(clusterId: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "cluster", cluster: { server: "https://10.0.0.2:6443", "certificate-authority-data": "" } }],
    contexts: [{ name: "context", context: { cluster: "cluster", user: "user" } }],
    "current-context": "context",
    users: [
      {
        name: "user",
        user: {
          exec: {
            apiVersion: "client.authentication.k8s.io/v1beta1",
            command: "oci",
            args: ["ce", "cluster", "generate-token", "--cluster-id", clusterId],
          },
        },
      },
    ],
  });
}

/** OKE's images of a version, including unrelated ones as in real answers. */
function nodeImages(version: string) {
  const names = ["", "aarch64-", "Gen2-GPU-"].flatMap((variant) => [
    `Oracle-Linux-8.10-${variant}2026.09.30-0-OKE-${version}-1501`,
    `Oracle-Linux-8.10-${variant}2026.10.31-0-OKE-${version}-1562`,
    `Oracle-Linux-8.10-${variant}2026.10.31-0`,
  ]);
  return names.map((sourceName) => ({
    sourceType: "IMAGE",
    sourceName,
    imageId: `ocid1.image.oc1..offline-${sourceName.toLowerCase()}`,
  }));
}
