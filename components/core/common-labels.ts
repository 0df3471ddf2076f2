import * as pulumi from "@pulumi/pulumi";
import type { Labels } from "../../names/labels";

/**
 * Puts labels on every Kubernetes object below a component: on its metadata, on the pods that it makes, and on what Envoy
 * Gateway makes for a Gateway. Never into selectors, which cannot change, nor into the claims of a StatefulSet, which
 * cannot either. What charts make is theirs.
 */
export function commonLabels(labels: Labels): pulumi.ResourceTransformation {
  return ({ type, props, opts }) => {
    const isObject = type.startsWith("kubernetes:") && !type.startsWith("kubernetes:helm.sh/");
    if (!isObject || Object.keys(labels).length === 0) {
      return undefined;
    }
    const { metadata, ...rest } = withPodLabels(props, labels) as Plain;
    const object = { ...rest, metadata: withLabels(metadata, labels) };
    return { props: rest.kind === "Gateway" ? withInfrastructureLabels(object, labels) : object, opts };
  };
}

type Plain = Readonly<Record<string, unknown>>;

/** A pod template is what has metadata and a spec with containers, wherever it stands; a patch of one has no metadata. */
function withPodLabels(value: unknown, labels: Labels): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => withPodLabels(item, labels));
  }
  if (!isPlain(value)) {
    return value;
  }
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withPodLabels(item, labels)]));
  const isTemplate = isPlain(value.metadata) && isPlain(value.spec) && Array.isArray(value.spec.containers);
  return isTemplate ? { ...inner, metadata: withLabels(value.metadata, labels) } : inner;
}

function withInfrastructureLabels(gateway: Plain, labels: Labels): Plain {
  const spec = isPlain(gateway.spec) ? gateway.spec : {};
  return { ...gateway, spec: { ...spec, infrastructure: withLabels(spec.infrastructure, labels) } };
}

/** The owner of a `labels` field, with more of them; its own win. */
function withLabels(owner: unknown, labels: Labels): unknown {
  if (owner !== undefined && !isPlain(owner)) {
    return pulumi.output(owner).apply((known) => withLabels(known, labels));
  }
  const own = owner?.labels;
  const merged =
    own === undefined || isPlain(own)
      ? { ...labels, ...own }
      : pulumi.output(own).apply((known) => ({ ...labels, ...(known as Labels) }));
  return { ...owner, labels: merged };
}

function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
