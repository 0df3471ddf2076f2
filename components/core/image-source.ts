import * as pulumi from "@pulumi/pulumi";
import { chartImageValues, chartNameOf } from "../../catalog/chart-images";
import { type ImageMirror, mirrored } from "../../catalog/image-mirror";

/** Where the containers of a platform get their images, its charts' included. */
export interface ImageSource extends ImageMirror {
  /** Content of a Docker config.json that opens the registries; a Secret of it is in every namespace. @default none */
  readonly credentials?: pulumi.Output<string>;
}

/** Name of that Secret. */
export const PULL_SECRET = "image-pull";

/**
 * Sends every image below a component through the mirror, and gives every pod the pull secret: pods wherever they stand,
 * charts by their values, and what controllers make for us (proxies of Envoy Gateway, solvers of cert-manager). In one
 * place, so that no component can forget it.
 */
export function imagesFrom(source: ImageSource): pulumi.ResourceTransformation {
  const pullSecret = source.credentials && PULL_SECRET;
  const nothing = source.mirror === undefined && source.registries === undefined && pullSecret === undefined;
  return ({ type, props, opts }) => {
    if (nothing || !type.startsWith("kubernetes:")) {
      return undefined;
    }
    return {
      props:
        type === "kubernetes:helm.sh/v3:Release" ? chart(props, source, pullSecret) : object(props, source, pullSecret),
      opts,
    };
  };
}

type Plain = Readonly<Record<string, unknown>>;

function chart(props: Plain, mirror: ImageMirror, pullSecret: string | undefined): Plain {
  const name = chartNameOf(String(props.chart));
  if (name === undefined) {
    throw new Error(`chart "${props.chart}" is none of the catalogue: its images cannot be mirrored`);
  }
  const values = [...chartImageValues(name, mirror, pullSecret)].reduce<Plain>(
    (merged, [path, value]) => withValue(merged, path.split("."), value),
    isPlain(props.values) ? props.values : {},
  );
  return { ...props, values };
}

function object(props: Plain, mirror: ImageMirror, pullSecret: string | undefined): Plain {
  const pods = withPods(props, mirror, pullSecret) as Plain;
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

/** Pods are what has containers with images, wherever they stand: in workloads, and in custom resources that hold templates. */
function withPods(value: unknown, mirror: ImageMirror, pullSecret: string | undefined): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => withPods(item, mirror, pullSecret));
  }
  if (!isPlain(value)) {
    return value;
  }
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withPods(item, mirror, pullSecret)]),
  );
  const { containers } = value;
  if (!Array.isArray(containers) || !containers.every((each) => isPlain(each) && each.image !== undefined)) {
    return inner;
  }
  const pulled = ["containers", "initContainers"].flatMap((key) =>
    Array.isArray(inner[key])
      ? [[key, inner[key].map((each: Plain) => ({ ...each, image: from(each.image as pulumi.Input<string>, mirror) }))]]
      : [],
  );
  return {
    ...inner,
    ...Object.fromEntries(pulled),
    ...(pullSecret !== undefined && { imagePullSecrets: [{ name: pullSecret }] }),
  };
}

function from(image: pulumi.Input<string>, mirror: ImageMirror): pulumi.Input<string> {
  return typeof image === "string"
    ? mirrored(image, mirror)
    : pulumi.output(image).apply((known) => mirrored(known, mirror));
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isPlain(value) ? value[key] : undefined), root);
}

/** A copy with one value set, maps on the way to it made where they lack. */
function withValue(root: unknown, [key = "", ...rest]: readonly string[], value: unknown): Plain {
  const map = isPlain(root) ? root : {};
  return { ...map, [key]: rest.length === 0 ? value : withValue(map[key], rest, value) };
}

function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
