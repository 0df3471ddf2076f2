import type { KubernetesObject } from "../kubernetes/object";
import { ANNOTATIONS } from "../names/labels";
import { isRecord } from "./kubernetes-object";

/**
 * The object, without the annotation by which a changed Secret rolls its pods, of its own or in its pod template: what Secrets hold
 * exists in the cluster alone, so that in Git nothing shows a change (docs/gitops.md).
 */
export function withoutSecretVersion(object: KubernetesObject): KubernetesObject {
  const { spec } = object;
  const template = isRecord(spec) ? spec.template : undefined;
  return {
    ...object,
    metadata: unversioned(object.metadata),
    ...(isRecord(spec) &&
      isRecord(template) &&
      isRecord(template.metadata) && {
        spec: { ...spec, template: { ...template, metadata: unversioned(template.metadata) } },
      }),
  };
}

function unversioned<M extends object>(metadata: M): M {
  const annotations = "annotations" in metadata ? metadata.annotations : undefined;
  if (!isRecord(annotations) || !(ANNOTATIONS.secretVersion in annotations)) {
    return metadata;
  }
  const { [ANNOTATIONS.secretVersion]: _version, ...others } = annotations;
  const { annotations: _all, ...rest } = metadata as M & { annotations: unknown };
  return { ...rest, ...(Object.keys(others).length > 0 && { annotations: others }) } as unknown as M;
}
