import type * as pulumi from "@pulumi/pulumi";
import { isPlain } from "../../kubernetes/plain";
import { LABEL_PREFIX } from "../../names/labels";
import type { MeshMode } from "./mode";

const SERVICE = "kubernetes:core/v1:Service";

/**
 * Unknown protocol name, so that a sidecar routes by destination address (istio/istio 1.30.3,
 * pilot/pkg/networking/core/listener.go, pkg/config/kube/conversion.go). A port named `http` routes
 * by Host, which at the gateway matches no Service: every request would fail.
 */
const DETECTED = `${LABEL_PREFIX}/detected`;

/** Changes of a mesh to objects below a component, except namespaces. */
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
