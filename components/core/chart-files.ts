import type * as pulumi from "@pulumi/pulumi";
import { chartNameOf } from "../../catalog/chart-archive";
import type { Plain } from "../../kubernetes/plain";
import { HELM_RELEASE } from "../../kubernetes/resource-types";

/** Takes every chart below a component from a file, in one place, so that no component can forget it. */
export class ChartFiles {
  private readonly lacking = new Set<string>();

  /** @param paths of files on the machine that deploys, by catalogue name. */
  constructor(private readonly paths: ReadonlyMap<string, string>) {}

  /** Catalogue names of the charts of all that was made until now of which there is no file, sorted. */
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

/** A release whose chart is a file. With the options of a repository the provider would look there for a chart of that name. */
export function ofFile({ repositoryOpts: _repository, ...rest }: Plain, path: string): Plain {
  return { ...rest, chart: path };
}
