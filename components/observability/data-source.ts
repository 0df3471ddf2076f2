import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { OBSERVABILITY_NAMESPACE } from "../../names/namespaces";

/** Grafana's provisioning format. */
export interface DataSource {
  readonly name: string;
  readonly type: "loki" | "jaeger";
  readonly uid: string;
  readonly url: string;
  readonly jsonData?: object;
  /** Values that Grafana encrypts, but stored in a ConfigMap: no secrets. */
  readonly secureJsonData?: object;
}

export function grafanaDataSource(logicalName: string, source: DataSource, opts: pulumi.CustomResourceOptions): void {
  const content = { apiVersion: 1, datasources: [{ ...source, access: "proxy", editable: false }] };
  new kubernetes.core.v1.ConfigMap(
    logicalName,
    {
      metadata: {
        name: `data-source-${source.uid}`,
        namespace: OBSERVABILITY_NAMESPACE,
        labels: standardLabels("data-source", source.uid, { grafana_datasource: "1" }),
      },
      data: { [`${source.uid}.yaml`]: JSON.stringify(content) },
    },
    opts,
  );
}
