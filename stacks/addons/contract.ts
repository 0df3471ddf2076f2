/**
 * An add-on's parts of configuration, plan and platform, and their inputs. It has two halves: this
 * one is data and pure functions, so that configuration is checked without Pulumi; `load` leads to
 * the other, which creates resources.
 */
import type * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import type { FolderContents } from "../../components/argo-cd/folder-contents";
import type { CertManager } from "../../components/certificates/cert-manager";
import type { Cluster } from "../../components/core/cluster";
import type { Connection, TracePods } from "../../components/core/connections";
import type { GpuAccessByVendor } from "../../components/core/gpu-access";
import type { OutsidePublished } from "../../components/gateway/published";
import type { RunTimeModels } from "../../components/gateway/run-time-models";
import type { GatewayService } from "../../components/gateway/service-routes";
import type { RequestSource } from "../../components/observability/dashboards/links";
import type { DashboardSpec } from "../../components/observability/dashboards/spec";
import type { MetricsApi } from "../../components/observability/existing-operator";
import type { GpuPool } from "../../components/observability/gpu-metrics";
import type { RuleSubject } from "../../components/observability/rules/types";
import type { ScrapeTarget } from "../../components/observability/targets";
import type { ModelEndpoint } from "../../components/serving/endpoint";
import type { ControlAccess } from "../../components/serving/model-server";
import type { Serving } from "../../components/serving/serving";
import type { ModelStore } from "../../components/storage/model-store";
import type { BilledVolumes } from "../../planner/cloud-services";
import type { CapacityProblem, DeploymentPlan } from "../../planner/types";
import type { Rule } from "../config/core/rule";
import type { CoreConfig } from "../config/core/schema";

/** The environment's core, with models placed. */
export interface Planned {
  readonly environment: CoreConfig;
  readonly plan: DeploymentPlan;
}

/** The environment's core, before models are placed. */
export interface Configured {
  readonly environment: CoreConfig;
}

/** Billed volumes of an add-on. */
export interface ClaimedVolumes {
  readonly volumes: readonly BilledVolumes[];
  /** Volumes with a size known only to a chart, for the bill. @default none */
  readonly notPriced?: readonly string[];
  /** Spare GiB on each engine's model volume. @default 0 */
  readonly spareModelGiB?: number;
}

/** All addresses, before resources exist. */
export interface LaidOut extends Planned {
  readonly cluster: Cluster;
  readonly endpoints: readonly ModelEndpoint[];
  /** Prometheus targets of core and add-ons. */
  readonly targets: readonly ScrapeTarget[];
  readonly gpuPools: readonly GpuPool[];
  /** Receiver of all spans. @default none */
  readonly traces: TracePods | undefined;
  /** Grafana data sources that find a request, of all add-ons. */
  readonly requestSources: readonly RequestSource[];
}

/** Base of add-ons: the core, and add-ons above in the table. */
export interface Foundation extends LaidOut {
  /** Component name. */
  readonly name: string;
  /** Its options; it waits for `after` besides what every add-on waits for. */
  readonly options: (...after: readonly pulumi.Resource[]) => pulumi.ComponentResourceOptions;
  readonly certManager: CertManager;
  /** Undefined: the environment has none. */
  readonly store: ModelStore | undefined;
  readonly serving: Serving;
  readonly gpuAccess: GpuAccessByVendor;
  /** By name. */
  readonly consumerKeys: Readonly<Record<string, pulumi.Output<string>>>;
  /** Alerts and recorded series of all add-ons, and of this cluster's features. */
  readonly alerts: readonly RuleSubject[];
  readonly dashboards: readonly DashboardSpec[];
  /** Content of Argo CD's rendered folder: complete after the platform's constructor. */
  readonly folder: () => FolderContents;
  /**
   * Another add-on's component; `undefined` where that is off.
   *
   * @throws Error when the other is below in the table.
   */
  readonly component: <Component>(other: Buildable<Component>) => Component | undefined;
}

/** Known values, with the add-on's own settings and secrets. */
export type Given<Known, Settings, SecretKey extends string> = Known & {
  readonly settings: Settings;
  readonly secrets: AddonSecrets<SecretKey>;
};

/** Set ones only. */
export type AddonSecrets<SecretKey extends string> = Readonly<Partial<Record<SecretKey, pulumi.Output<string>>>>;

export type StackOutputs = Readonly<Record<string, pulumi.Input<unknown>>>;

export interface Built<Component> {
  readonly component: Component;
  /** @default none */
  readonly stackOutputs?: StackOutputs;
}

/** Anything with a component: an add-on with any inputs. */
export interface Buildable<Component> {
  readonly key: string;
  readonly load: () => Promise<{ readonly build: (given: never) => Built<Component> }>;
}

/** Optional text: whether it is required depends on the section. */
export type SecretField = z.ZodType<string | undefined, string | undefined>;

/** An environment as seen by one add-on. */
export type OwnSection<Key extends string, Section extends z.ZodType> = { readonly [Own in Key]?: z.output<Section> };

/** What an add-on's author writes. */
export interface AddonSpec<
  Key extends string,
  Section extends z.ZodType,
  SecretKey extends string,
  Settings,
  Component extends pulumi.ComponentResource,
> {
  /** Its section in an environment. */
  readonly key: Key;
  /** Schema; optional, or with a default, because environments may omit an add-on. */
  readonly section: Section;
  /** Separate keys: Pulumi marks whole keys as secret. @default none */
  readonly secrets?: Readonly<Record<SecretKey, SecretField>>;
  /** Required while the add-on is on, with reasons. @default none */
  readonly requiredSecrets?: Readonly<Partial<Record<SecretKey, string>>>;
  /** The section's settings. `undefined` while it is off: nothing is planned or created. */
  readonly settings: (section: NonNullable<z.output<Section>>) => Settings | undefined;
  /** Rules between its fields and the core's. @default none */
  readonly rules?: readonly Rule<OwnSection<Key, Section>>[];
  /** Claimed volumes, for the plan's cost. @default none */
  readonly volumes?: (given: Given<Configured, Settings, SecretKey>) => ClaimedVolumes;
  /** Problems and unconditional notes of the plan. @default none */
  readonly problems?: (given: Given<Planned, Settings, SecretKey>) => readonly CapacityProblem[];
  /** Advice on plans that nothing forbids. @default none */
  readonly advice?: (given: Given<Planned, Settings, SecretKey>) => readonly CapacityProblem[];
  /** Right to control engines at run time, for one add-on per environment. @default none */
  readonly engineControl?: (given: Given<Planned, Settings, SecretKey>) => ControlAccess;
  /** External servers published by the gateway, besides external models. @default none */
  readonly outside?: (given: Given<Planned, Settings, SecretKey>) => readonly OutsidePublished[];
  /** Gateway routes other than models. @default none */
  readonly services?: (given: Given<Planned, Settings, SecretKey>) => readonly GatewayService[];
  /** Fallback for models without a route, for one add-on per environment. @default none */
  readonly runTimeModels?: (given: Given<Planned, Settings, SecretKey>) => RunTimeModels | undefined;
  /** Receiver of all spans, for one add-on per environment. @default none */
  readonly traceReceiver?: (given: Given<Planned, Settings, SecretKey>) => TracePods;
  /** Metrics queries, for one add-on per environment. @default none */
  readonly metricsApi?: (given: Given<Planned, Settings, SecretKey>) => MetricsApi;
  /** Its Prometheus targets. @default none */
  readonly targets?: (given: Given<Planned, Settings, SecretKey>) => readonly ScrapeTarget[];
  /** Namespaces that it creates. @default none */
  readonly namespaces?: (given: Given<Planned, Settings, SecretKey>) => readonly string[];
  /** Names of its backups in the model store. @default none */
  readonly keepers?: (given: Given<Planned, Settings, SecretKey>) => readonly string[];
  /** Network connections that it needs. @default none */
  readonly connections?: (given: Given<LaidOut, Settings, SecretKey>) => readonly Connection[];
  /**
   * Alerts and recorded series, in every environment: without the add-on they have no series.
   * @default none
   */
  readonly alerts?: readonly RuleSubject[];
  /** Like alerts, in every environment. @default none */
  readonly dashboards?: readonly DashboardSpec[];
  /** Its Grafana data source that finds a request, linked by dashboards. @default none */
  readonly requestSource?: (given: Given<Planned, Settings, SecretKey>) => RequestSource | undefined;
  /** Below the platform's: part of its resources' identity. @default the key */
  readonly componentName?: string;
  /** The half that creates resources. */
  readonly load: () => Promise<{ readonly build: (given: Given<Foundation, Settings, SecretKey>) => Built<Component> }>;
}
