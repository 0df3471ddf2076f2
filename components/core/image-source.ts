import * as pulumi from "@pulumi/pulumi";
import { chartNameOf } from "../../catalog/chart-archive";
import { chartImageValues } from "../../catalog/chart-images";
import { type ImageMirror, mirrored } from "../../catalog/image-mirror";
import { isPlain, type Plain } from "../../kubernetes/plain";
import { CONTAINER_LISTS, mapPodTemplates, type PodTemplate } from "../../kubernetes/pod-templates";
import { HELM_RELEASE } from "../../kubernetes/resource-types";

/** Image source of all containers, including charts. */
export interface ImageSource extends ImageMirror {
  /**
   * Content of a Docker config.json with registry credentials, stored as a Secret in every
   * namespace.
   * @default none
   */
  readonly credentials?: pulumi.Output<string>;
}

export const PULL_SECRET = "image-pull";

/**
 * Rewrites images of containers and volumes below a component to the mirror and adds the pull secret to pods, charts and
 * controller-created pods (Envoy Gateway proxies, cert-manager solvers). Charts get image digests
 * of the catalogue.
 */
export function imagesFrom(source: ImageSource): pulumi.ResourceTransformation {
  const pullSecret = source.credentials && PULL_SECRET;
  const nothing = source.mirror === undefined && source.registries === undefined && pullSecret === undefined;
  return ({ type, props, opts }) => {
    if (type === HELM_RELEASE) {
      const name = chartNameOf(String(props.chart));
      return nothing && name === undefined ? undefined : { props: chart(props, name, source, pullSecret), opts };
    }
    return nothing || !type.startsWith("kubernetes:") ? undefined : { props: object(props, source, pullSecret), opts };
  };
}

function chart(props: Plain, name: string | undefined, mirror: ImageMirror, pullSecret: string | undefined): Plain {
  if (name === undefined) {
    throw new Error(`chart "${props.chart}" is none of the catalogue: its images cannot be mirrored`);
  }
  const own = chartImageValues(name, mirror, pullSecret);
  if (own.size === 0) {
    return props;
  }
  const values = [...own].reduce<Plain>(
    (merged, [path, value]) => withValue(merged, path.split("."), value),
    isPlain(props.values) ? props.values : {},
  );
  return { ...props, values };
}

function object(props: Plain, mirror: ImageMirror, pullSecret: string | undefined): Plain {
  const pods = mapPodTemplates(props, (template) => fromSource(template, mirror, pullSecret)) as Plain;
  const secrets = pullSecret === undefined ? undefined : [{ name: pullSecret }];
  if (pods.kind === "EnvoyProxy") {
    const deployment = ["spec", "provider", "kubernetes", "envoyDeployment"];
    const image = valueAt(pods, [...deployment, "container", "image"]);
    const proxies =
      typeof image === "string"
        ? withValue(pods, [...deployment, "container", "image"], mirrored(image, mirror))
        : pods;
    return secrets ? withValue(proxies, [...deployment, "pod", "imagePullSecrets"], secrets) : proxies;
  }
  const solvers = valueAt(pods, ["spec", "acme", "solvers"]);
  if (pods.kind === "Issuer" && secrets && Array.isArray(solvers)) {
    const template = ["http01", "gatewayHTTPRoute", "podTemplate", "spec", "imagePullSecrets"];
    return withValue(
      pods,
      ["spec", "acme", "solvers"],
      solvers.map((solver) => withValue(solver, template, secrets)),
    );
  }
  return pods;
}

/** Only pods whose containers all have images: operators set the image in pod patches. */
function fromSource(template: PodTemplate, mirror: ImageMirror, pullSecret: string | undefined): Plain {
  const { spec } = template;
  if (!spec.containers.every((each) => isPlain(each) && each.image !== undefined)) {
    return template;
  }
  const pulled = CONTAINER_LISTS.flatMap((key) => {
    const containers = spec[key];
    return Array.isArray(containers)
      ? [[key, containers.map((each: Plain) => ({ ...each, image: from(each.image as pulumi.Input<string>, mirror) }))]]
      : [];
  });
  const volumes = Array.isArray(spec.volumes) && { volumes: spec.volumes.map((each) => mounted(each, mirror)) };
  const secrets = pullSecret !== undefined && { imagePullSecrets: [{ name: pullSecret }] };
  return { ...template, spec: { ...spec, ...Object.fromEntries(pulled), ...volumes, ...secrets } };
}

function mounted(volume: unknown, mirror: ImageMirror): unknown {
  const reference = valueAt(volume, ["image", "reference"]);
  return reference === undefined
    ? volume
    : withValue(volume, ["image", "reference"], from(reference as pulumi.Input<string>, mirror));
}

function from(image: pulumi.Input<string>, mirror: ImageMirror): pulumi.Input<string> {
  return typeof image === "string"
    ? mirrored(image, mirror)
    : pulumi.output(image).apply((known) => mirrored(known, mirror));
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isPlain(value) ? value[key] : undefined), root);
}

/** Copy with one value set, creating missing maps. */
function withValue(root: unknown, [key = "", ...rest]: readonly string[], value: unknown): Plain {
  const map = isPlain(root) ? root : {};
  return { ...map, [key]: rest.length === 0 ? value : withValue(map[key], rest, value) };
}
