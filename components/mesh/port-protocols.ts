import type * as pulumi from "@pulumi/pulumi";
import { isPlain } from "../../kubernetes/plain";
import { LABEL_PREFIX } from "../../names/labels";
import type { MeshMode } from "./mode";

const SERVICE = "kubernetes:core/v1:Service";

/**
 * A protocol that no mesh knows, so that a sidecar looks at what comes instead: it then leads by the address that its pod
 * connects to (istio/istio 1.30.3, pilot/pkg/networking/core/listener.go, pkg/config/kube/conversion.go). Of a port named `http` it
 * would lead by the request's host, which at the gateway is the clients' and no Service's: every request would end there.
 */
const DETECTED = `${LABEL_PREFIX}/detected`;

/** What a mesh changes of the objects below a component, besides namespaces. */
export function meshTransformations(mode: MeshMode): pulumi.ResourceTransformation[] {
  return mode === "sidecar" ? [withDetectedProtocols] : [];
}

const withDetectedProtocols: pulumi.ResourceTransformation = ({ type, props, opts }) => {
  const { spec } = props;
  if (type !== SERVICE || !isPlain(spec) || !Array.isArray(spec.ports)) {
    return undefined;
  }
  const ports = spec.ports.map((port: unknown) => (isPlain(port) ? { appProtocol: DETECTED, ...port } : port));
  return { props: { ...props, spec: { ...spec, ports } }, opts };
};
