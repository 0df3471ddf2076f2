import type * as pulumi from "@pulumi/pulumi";
import { chartNameOf } from "../../catalog/chart-archive";
import type { Plain } from "../../kubernetes/plain";
import { HELM_RELEASE } from "../../kubernetes/resource-types";

/** Replaces every chart below a component with a local file. */
export class ChartFiles {
  private readonly lacking = new Set<string>();

  /** @param paths of local files, by catalogue name. */
  constructor(private readonly paths: ReadonlyMap<string, string>) {}

  /** Catalogue names of charts without a file so far, sorted. */
  get missing(): readonly string[] {
    return [...this.lacking].sort();
  }

  readonly transformation: pulumi.ResourceTransformation = ({ type, props, opts }) => {
    if (type !== HELM_RELEASE) {
      return undefined;
    }
    const name = chartNameOf(String(props.chart));
    const path = name === undefined ? undefined : this.paths.get(name);
    if (path === undefined) {
      this.lacking.add(name ?? String(props.chart));
      return undefined;
    }
    return { props: ofFile(props, path), opts };
  };
}

/** Release from a chart file. With repository options the provider would search the repository. */
export function ofFile({ repositoryOpts: _repository, ...rest }: Plain, path: string): Plain {
  return { ...rest, chart: path };
}
