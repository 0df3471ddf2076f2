/** Adds `models.<name>.pod` to the pods of the engine. */
import type * as pulumi from "@pulumi/pulumi";
import { isPlain, type Plain } from "../../kubernetes/plain";
import { mapPodTemplates, type PodTemplate } from "../../kubernetes/pod-templates";
import { MODEL_LABEL } from "../../names/labels";
import type { ModelPlan, UserContainer, UserProbe, UserVolume } from "../../planner/types";
import { userSidecar } from "../../planner/user-pod";
import { hardenedContainer } from "../core/hardened-pod";
import { besidesSidecars, gibibytes, guaranteed } from "../core/resources";
import { engineImage } from "./engine-image";

/** To come before what changes images and labels: that holds for these too. */
export function userPods(models: readonly ModelPlan[]): pulumi.ResourceTransformation {
  const extended = models.filter(({ pod }) => pod !== undefined).map((model) => ({ model, image: engineImage(model) }));
  return ({ type, props, opts }) => {
    if (extended.length === 0 || !type.startsWith("kubernetes:")) {
      return undefined;
    }
    const changed = mapPodTemplates(props, (template) => {
      const found = extended.find(({ model, image }) => labelOf(template) === model.name && runs(template, image));
      return found ? extendedTemplate(template, found.model, found.image) : template;
    }) as Plain;
    return { props: changed, opts };
  };
}

function labelOf({ metadata }: PodTemplate): unknown {
  const labels = isPlain(metadata) ? metadata.labels : undefined;
  return isPlain(labels) ? labels[MODEL_LABEL] : undefined;
}

function runs({ spec }: PodTemplate, image: string): boolean {
  return spec.containers.some((container) => isPlain(container) && container.image === image);
}

function extendedTemplate(template: PodTemplate, model: ModelPlan, image: string): Plain {
  const { annotations, labels, volumes = [], initContainers = [], sidecars = [], probes = {} } = model.pod ?? {};
  const metadata = isPlain(template.metadata) ? template.metadata : {};
  const { spec } = template;
  const inits = initContainers.map((each) => own(each, volumes, besidesSidecars(model)));
  const running = sidecars.map((each) => {
    const { container, ...others } = own(each, volumes, userSidecar(each));
    return { ...others, container: { ...container, restartPolicy: "Always" } };
  });
  const added = [...inits, ...running];
  return {
    ...template,
    metadata: {
      ...metadata,
      ...(labels && { labels: { ...labels, ...(metadata.labels as object) } }),
      ...(annotations && { annotations: { ...annotations, ...(metadata.annotations as object) } }),
    },
    spec: {
      ...spec,
      ...listed("initContainers", [...listOf(spec.initContainers), ...added.map(({ container }) => container)]),
      containers: spec.containers.map((container) =>
        isPlain(container) && container.image === image ? engineContainer(container, volumes, probes) : container,
      ),
      ...listed("volumes", [
        ...listOf(spec.volumes),
        ...volumes.map(volumeOf),
        ...added.flatMap(({ scratch }) => scratch),
      ]),
    },
  };
}

function engineContainer(
  container: Plain,
  volumes: readonly UserVolume[],
  { readiness, liveness }: { readonly readiness?: UserProbe | undefined; readonly liveness?: UserProbe | undefined },
): Plain {
  const mounts = volumes.map(({ name, mountPath, readOnly, scratchGiB }) => ({
    name: ownName(name),
    mountPath,
    ...(scratchGiB === undefined && readOnly && { readOnly }),
  }));
  return {
    ...container,
    ...listed("volumeMounts", [...listOf(container.volumeMounts), ...mounts]),
    ...probed("readinessProbe", container, readiness),
    ...probed("livenessProbe", container, liveness),
  };
}

function probed(key: string, container: Plain, probe: UserProbe | undefined): Plain {
  const planned = container[key];
  return probe === undefined || !isPlain(planned)
    ? {}
    : {
        [key]: {
          ...planned,
          ...(probe.periodSeconds !== undefined && { periodSeconds: probe.periodSeconds }),
          ...(probe.timeoutSeconds !== undefined && { timeoutSeconds: probe.timeoutSeconds }),
          ...(probe.failures !== undefined && { failureThreshold: probe.failures }),
        },
      };
}

function own(
  { name, image, command, args, env = {}, mounts = {}, writablePaths = [] }: UserContainer,
  volumes: readonly UserVolume[],
  size: Parameters<typeof guaranteed>[0],
) {
  const isWritten = (volume: string) =>
    volumes.some((each) => each.name === volume && (each.scratchGiB !== undefined || !each.readOnly));
  return hardenedContainer({
    name: ownName(name),
    image,
    ...(command && { command: [...command] }),
    ...(args && { args: [...args] }),
    env: Object.entries(env).map(([key, value]) => ({ name: key, value: value.replaceAll("$(", "$$$$(") })),
    volumeMounts: Object.entries(mounts).map(([volume, mountPath]) => ({
      name: ownName(volume),
      mountPath,
      ...(!isWritten(volume) && { readOnly: true }),
    })),
    writablePaths: [...writablePaths],
    resources: guaranteed(size),
  });
}

function volumeOf({ name, scratchGiB, claim, configMap, secret, readOnly }: UserVolume): Plain {
  return {
    name: ownName(name),
    ...(scratchGiB !== undefined && { emptyDir: { sizeLimit: gibibytes(scratchGiB) } }),
    ...(claim !== undefined && { persistentVolumeClaim: { claimName: claim, ...(readOnly && { readOnly }) } }),
    ...(configMap !== undefined && { configMap: { name: configMap } }),
    ...(secret !== undefined && { secret: { secretName: secret } }),
  };
}

/** The prefix separates it from the platform's names. */
function ownName(name: string): string {
  return `own-${name}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function listed(key: string, items: readonly unknown[]): Plain {
  return items.length > 0 ? { [key]: items } : {};
}
