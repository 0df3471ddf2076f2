import * as pulumi from "@pulumi/pulumi";
import { isPlain, type Plain } from "../../kubernetes/plain";
import { mapPodTemplates, type PodTemplate } from "../../kubernetes/pod-templates";
import { isObjectType } from "../../kubernetes/resource-types";
import type { Labels } from "../../names/labels";

/**
 * Adds labels to every Kubernetes object below a component, including pod templates and resources
 * of Envoy Gateway. Excludes immutable selectors and StatefulSet claims, and charts.
 */
export function commonLabels(labels: Labels): pulumi.ResourceTransformation {
  return ({ type, props, opts }) => {
    if (!isObjectType(type) || Object.keys(labels).length === 0) {
      return undefined;
    }
    const { metadata, ...rest } = mapPodTemplates(props, (template) => withPodLabels(template, labels)) as Plain;
    const object = { ...rest, metadata: withLabels(metadata, labels) };
    return { props: rest.kind === "Gateway" ? withInfrastructureLabels(object, labels) : object, opts };
  };
}

/** Pod patches, which operators merge, have no metadata. */
function withPodLabels(template: PodTemplate, labels: Labels): Plain {
  return isPlain(template.metadata) ? { ...template, metadata: withLabels(template.metadata, labels) } : template;
}

function withInfrastructureLabels(gateway: Plain, labels: Labels): Plain {
  const spec = isPlain(gateway.spec) ? gateway.spec : {};
  return { ...gateway, spec: { ...spec, infrastructure: withLabels(spec.infrastructure, labels) } };
}

/** Merges labels into a `labels` field; existing ones win. */
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
