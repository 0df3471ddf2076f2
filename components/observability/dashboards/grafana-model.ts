/** Grafana's dashboard model in plain JSON, from the types of its package. */
import type {
  Dashboard,
  DashboardLink,
  FieldConfigSource,
  GraphFieldConfig,
  Panel,
  RowPanel,
  VariableModel as Variable,
  VizLegendOptions,
  VizTooltipOptions,
} from "@grafana/schema";

/** Enumerations as their values: the package is used for types only. */
type Plain<T> = unknown extends T
  ? T
  : T extends string
    ? `${T}`
    : T extends object
      ? { readonly [Key in keyof T]: Plain<T[Key]> }
      : T;

export interface TargetModel {
  readonly refId: string;
  readonly datasource: { readonly type: "prometheus"; readonly uid: string };
  readonly expr: string;
  readonly legendFormat: string;
}

export type LinkModel = Plain<DashboardLink>;
export type VariableModel = Plain<Variable>;
export type FieldModel = Plain<FieldConfigSource<Pick<GraphFieldConfig, "thresholdsStyle">>>;

/** Of time series; `stat` and `gauge` keep Grafana's defaults. */
export interface TimeSeriesOptions {
  readonly legend: Plain<VizLegendOptions>;
  readonly tooltip: Plain<VizTooltipOptions>;
}

type Required<T, Keys extends keyof T> = T & { readonly [Key in Keys]-?: NonNullable<T[Key]> };

export type RowModel = Required<Plain<RowPanel>, "title" | "gridPos">;

export type PanelModel = Required<
  Omit<Plain<Panel>, "targets" | "options" | "fieldConfig">,
  "id" | "title" | "description" | "datasource" | "gridPos"
> & {
  readonly targets: readonly TargetModel[];
  readonly options: TimeSeriesOptions | Readonly<Record<string, never>>;
  readonly fieldConfig: FieldModel;
};

export type DashboardModel = Required<
  Omit<Plain<Dashboard>, "panels" | "templating" | "links">,
  "uid" | "title" | "description"
> & {
  readonly links: readonly LinkModel[];
  readonly templating: { readonly list: readonly VariableModel[] };
  readonly panels: readonly (RowModel | PanelModel)[];
};
