import type { KubernetesObject } from "../kubernetes/object";
import { ANNOTATIONS } from "../names/labels";
import { isRecord } from "./kubernetes-object";

/**
 * The object, without the annotation by which a changed Secret rolls its pods: what Secrets hold exists in the cluster alone, so that
 * in Git nothing tells of a change (docs/gitops.md).
 */
export function withoutSecretVersion(object: KubernetesObject): KubernetesObject {
  const { spec } = object;
  const template = isRecord(spec) ? spec.template : undefined;
  const metadata = isRecord(template) ? template.metadata : undefined;
  const annotations = isRecord(metadata) ? metadata.annotations : undefined;
  if (!isRecord(spec) || !isRecord(template) || !isRecord(metadata) || !isRecord(annotations)) {
    return object;
  }
  const { [ANNOTATIONS.secretVersion]: _version, ...others } = annotations;
  const { annotations: _all, ...rest } = metadata;
  const kept = { ...rest, ...(Object.keys(others).length > 0 && { annotations: others }) };
  return { ...object, spec: { ...spec, template: { ...template, metadata: kept } } };
}
