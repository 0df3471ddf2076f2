import { NODE_CACHE_FOLDER, nodeCacheFolder } from "../../names/node-cache";
import { isSystemFolder } from "../../names/system-folders";
import { type Field, isObject } from "./field";
import type { Offence } from "./pod-security-standard";
import type { PodTemplate } from "./pods";
import type { Resource } from "./resource";
import { broken, isGiven, type Row } from "./rows";

/** What Pod Security Standards leave open. */
export function podDoors({ spec }: PodTemplate): Offence[] {
  return [...inlineDrivers(spec), ...foreignTokens(spec), ...callerCertificates(spec), ...falseNames(spec)];
}

/**
 * Drivers whose inline volumes hold what their pod may have; other drivers mount what the pod's
 * author names. READMEs of kubernetes-sigs/secrets-store-csi-driver, cert-manager/csi-driver-spiffe
 * and spiffe/spiffe-csi; cert-manager.io, usage/csi-driver; read 2026-11-28.
 */
const INLINE_DRIVERS = [
  "secrets-store.csi.k8s.io",
  "csi.cert-manager.io",
  "spiffe.csi.cert-manager.io",
  "csi.spiffe.io",
];

/** cert-manager's attribute that requests a CA. */
const AUTHORITY = "csi.cert-manager.io/is-ca";

function inlineDrivers(spec: Field): Offence[] {
  const volumes = volumesOf(spec).map((volume) => volume.get("csi"));
  return [
    ...volumes
      .map((csi) => csi.get("driver"))
      .filter((driver) => driver.is((value) => value !== undefined && !INLINE_DRIVERS.includes(String(value))))
      .map((field) => ({ field, allowed: `a claim; inline only ${INLINE_DRIVERS.join(", ")}` })),
    ...volumes
      .map((csi) => csi.get("volumeAttributes", AUTHORITY))
      .filter((isAuthority) => isAuthority.is((value) => value !== undefined && String(value) !== "false"))
      .map((field) => ({ field, allowed: "false: an authority signs certificates for any name" })),
  ];
}

/** Audiences inside the cluster: the API server and Istio's control plane. */
const AUDIENCES = [
  "",
  "api",
  "istio-ca",
  "https://kubernetes.default.svc",
  "https://kubernetes.default.svc.cluster.local",
];

function foreignTokens(spec: Field): Offence[] {
  return projectedTokens(spec)
    .map((token) => token.get("audience"))
    .filter((audience) => audience.is((value) => value !== undefined && !AUDIENCES.includes(String(value))))
    .map((field) => ({
      field,
      allowed: "a token for the cluster itself; rights in a cloud come from EKS Pod Identity or OKE",
    }));
}

/** Projected tokens; `automountServiceAccountToken` does not affect them. */
export function projectedTokens(spec: Field): Field[] {
  return volumesOf(spec)
    .flatMap((volume) => volume.get("projected", "sources").items())
    .map((source) => source.get("serviceAccountToken"))
    .filter((token) => token.is(isObject));
}

/**
 * Certificates that authenticate a pod to the API server without a token (projected volumes,
 * Kubernetes 1.36).
 */
function callerCertificates(spec: Field): Offence[] {
  return volumesOf(spec)
    .flatMap((volume) => volume.get("projected", "sources").items())
    .map((source) => source.get("podCertificate", "signerName"))
    .filter((signer) => signer.is((name) => String(name).startsWith("kubernetes.io/kube-apiserver-client")))
    .map((field) => ({ field, allowed: "a signer of one's own: callers of the API server have service accounts" }));
}

function falseNames(spec: Field): Offence[] {
  const isFilled = (field: Field) => field.is((value) => Array.isArray(value) && value.length > 0);
  const lists = [spec.get("hostAliases"), spec.get("dnsConfig", "nameservers"), spec.get("dnsConfig", "searches")];
  const policy = spec.get("dnsPolicy");
  return [
    ...lists.filter(isFilled).map((field) => ({ field, allowed: "none: names as the cluster's DNS gives them" })),
    ...(policy.is((value) => value === "None") ? [{ field: policy, allowed: "ClusterFirst" }] : []),
  ];
}

function volumesOf(spec: Field): Field[] {
  return spec.get("volumes").items();
}

const PV: readonly Row[] = [
  {
    on: ["PersistentVolume"],
    path: "spec.hostPath.path",
    isWrong: (path) => path !== undefined && !isModelCache(path),
    found: "is a folder of the node",
    allowed: "a volume of a storage class",
  },
  { on: ["PersistentVolume"], path: "spec.flexVolume", isWrong: isGiven, allowed: "a volume of a CSI driver" },
  {
    on: ["PersistentVolume"],
    path: "spec.csi.driver",
    isWrong: (driver) => /host-?path/i.test(String(driver)),
    allowed: "a driver that mounts no folders of nodes",
  },
  {
    on: ["CSIDriver"],
    path: "spec.tokenRequests[].audience",
    isWrong: (audience) => audience !== undefined && !Array.isArray(audience) && !AUDIENCES.includes(String(audience)),
    allowed: "tokens for the cluster itself: by others a driver is every pod that mounts it, in another system",
  },
];

export function volumeDoors(resource: Resource): Offence[] {
  return [
    ...broken(PV, resource),
    ...(resource.kind === "PersistentVolume" ? nodeFolders(resource.props.get("spec")) : []),
  ];
}

/** A folder of a node serves one claim, read-only, and is no system folder. */
function nodeFolders(spec: Field): Offence[] {
  const local = spec.get("local", "path");
  const path = local.is(isGiven) ? local : spec.get("hostPath", "path");
  if (!path.is(isGiven)) {
    return [];
  }
  const isSystems = local.is((value) => isGiven(value) && isSystemFolder(String(value)));
  const isWritten = spec
    .get("accessModes")
    .is((modes) => !Array.isArray(modes) || modes.some((mode) => mode !== "ReadOnlyMany"));
  const isAnybodys = spec.get("claimRef", "name").is((name) => name === undefined);
  return isSystems || isWritten || isAnybodys
    ? [{ field: path, allowed: "a folder of data, ReadOnlyMany, for the claim that claimRef names" }]
    : [];
}

/** One model's folder of the cache of weights, which the platform's own agents fill. */
function isModelCache(path: unknown): boolean {
  const [, model] = String(path).split(`${NODE_CACHE_FOLDER}/`);
  return model !== undefined && path === nodeCacheFolder(model) && /^[a-z0-9-]+$/.test(model);
}
