import type * as pulumi from "@pulumi/pulumi";
import { chartNameOf } from "../../catalog/chart-archive";
import { chartImageReferences } from "../../catalog/chart-images";
import { imagesIn } from "../../kubernetes/images";
import type { Plain } from "../../kubernetes/plain";
import { HELM_RELEASE } from "../../kubernetes/resource-types";
import { ofFile } from "./chart-files";

export interface BundledParts {
  /** Local path of each chart archive, by catalogue name. */
  readonly charts: ReadonlyMap<string, string>;
  /** References of images on the nodes. */
  readonly images: ReadonlySet<string>;
}

/**
 * Replaces every chart below a component with the bundle's and checks that the bundle has every
 * image.
 */
export class FromBundle {
  private readonly lacking = new Set<string>();

  constructor(private readonly parts: BundledParts) {}

  /** Missing charts and images so far, sorted: `chart lws`, `image docker.io/…`. */
  get missing(): readonly string[] {
    return [...this.lacking].sort();
  }

  /** Apply after the mirror transformation, whose image names the bundle uses. */
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

/** Without outputs, which are unknown here; platform images are never outputs. */
function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(plainOf);
  }
  if (typeof value !== "object" || value === null || "__pulumiOutput" in value || value instanceof Promise) {
    return typeof value === "object" ? undefined : value;
  }
  return Object.fromEntries(Object.entries(value as Plain).map(([key, item]) => [key, plainOf(item)]));
}
