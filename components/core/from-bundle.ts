import type * as pulumi from "@pulumi/pulumi";
import { chartNameOf } from "../../catalog/chart-archive";
import { chartImageReferences } from "../../catalog/chart-images";
import { imagesIn } from "../../kubernetes/images";
import type { Plain } from "../../kubernetes/plain";
import { HELM_RELEASE } from "../../kubernetes/resource-types";
import { ofFile } from "./chart-files";

/** What a bundle has of a platform. */
export interface BundledParts {
  /** Path of each chart's archive on the machine that deploys, by catalogue name. */
  readonly charts: ReadonlyMap<string, string>;
  /** References of the images that the nodes have. */
  readonly images: ReadonlySet<string>;
}

/**
 * Takes every chart below a component from a bundle's folder, and looks that every image is in the bundle. In one place,
 * so that no component can forget it.
 */
export class FromBundle {
  private readonly lacking = new Set<string>();

  constructor(private readonly parts: BundledParts) {}

  /** What the bundle lacks of all that was made until now, sorted: `chart lws`, `image docker.io/…`. */
  get missing(): readonly string[] {
    return [...this.lacking].sort();
  }

  /** To come after the one that says where images are pulled from: by those names they are in the bundle. */
  readonly transformation: pulumi.ResourceTransformation = ({ type, props, opts }) => {
    if (!type.startsWith("kubernetes:")) {
      return undefined;
    }
    if (type !== HELM_RELEASE) {
      this.lookFor(imagesIn(plainOf(props)));
      return undefined;
    }
    const name = chartNameOf(String(props.chart));
    const path = name === undefined ? undefined : this.parts.charts.get(name);
    if (name === undefined || path === undefined) {
      this.lacking.add(`chart ${name ?? props.chart}`);
      return undefined;
    }
    this.lookFor(chartImageReferences(name, props.values));
    return { props: ofFile(props, path), opts };
  };

  private lookFor(references: readonly string[]): void {
    for (const reference of references.filter((each) => !this.parts.images.has(each))) {
      this.lacking.add(`image ${reference}`);
    }
  }
}

/** Without outputs, which are known only once something is made: no image of ours is one. */
function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(plainOf);
  }
  if (typeof value !== "object" || value === null || "__pulumiOutput" in value || value instanceof Promise) {
    return typeof value === "object" ? undefined : value;
  }
  return Object.fromEntries(Object.entries(value as Plain).map(([key, item]) => [key, plainOf(item)]));
}
