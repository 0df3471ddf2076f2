/**
 * Server groups at the gateway: `/<group>` leads to the nodes of one model. A group is published like a model that has no name of its own
 * but its path, so that keys, limits, quotas and token counts are those of every other way to the model.
 */
import { groupPath, type ServerGroupPlan } from "../../planner/inference-nodes";
import type { ModelTask } from "../../planner/types";
import { NODE_HEALTH_PATH, NODE_INFER_PATH } from "../node/ports";
import type { ModelEndpoint, NodeEndpoint, OpenAiEndpoint } from "../serving/endpoint";
import { type KserveEndpoint, type KservePublished, kserveActions } from "./kserve-routes";
import { hostOf, type OutsidePublished, type Published, publishedEndpoint } from "./published";
import type { Share } from "./shares";
import { TASK_PATHS } from "./task-paths";

type NodesOf<Endpoint extends ModelEndpoint> = Endpoint & { readonly node: NodeEndpoint };

function inGroups<Endpoint extends ModelEndpoint>(endpoints: readonly Endpoint[]): NodesOf<Endpoint>[] {
  return endpoints.filter((endpoint): endpoint is NodesOf<Endpoint> => endpoint.node !== undefined);
}

/** Where nodes answer below the gateway's address: a model's at the path of their group, a canary's at one of their own besides. */
export function pathOfNodes({ node, revisionOf }: Pick<NodesOf<ModelEndpoint>, "node" | "revisionOf">): string {
  return groupPath(node.group, revisionOf);
}

/** What a canary's nodes take of the requests to their group: as much as it takes of its model's. */
function sharesOfCanary({ model }: ModelEndpoint, endpoints: readonly ModelEndpoint[]): Share[] {
  return inGroups(endpoints).flatMap(({ node, revisionOf }) =>
    revisionOf?.model === model ? [{ name: pathOfNodes({ node, revisionOf }), weight: revisionOf.weight }] : [],
  );
}

/** Groups of models that run here and speak OpenAI's API. */
export function publishedGroups(endpoints: readonly OpenAiEndpoint[]): Published[] {
  return inGroups(endpoints).map((endpoint) => {
    const { names, upstream, ...rest } = publishedEndpoint(endpoint);
    const revisions = sharesOfCanary(endpoint, endpoints);
    return {
      ...rest,
      name: pathOfNodes(endpoint),
      model: endpoint.model,
      names: [],
      pathNames: names,
      upstream: { ...upstream, port: endpoint.node.port },
      shortcuts: shortcuts(endpoint.task),
      // All nodes answer there, whatever their engine.
      readyPath: NODE_HEALTH_PATH,
      ...(revisions.length > 0 && { revisions }),
    };
  });
}

/** The same of those that speak KServe's API alone: no `model` field leads to them, but the path itself. */
export function kserveGroups(endpoints: readonly KserveEndpoint[]): KservePublished[] {
  return inGroups(endpoints).map((endpoint) => {
    const path = pathOfNodes(endpoint);
    return {
      name: path,
      model: endpoint.model,
      servedName: endpoint.servedName,
      task: endpoint.task,
      upstream: { host: hostOf(endpoint), port: endpoint.node.port },
      actions: [
        { method: "POST", path: `/${path}${NODE_INFER_PATH}`, there: NODE_INFER_PATH },
        ...kserveActions(path, endpoint.servedName),
      ],
      readyPath: NODE_HEALTH_PATH,
      revisions: sharesOfCanary(endpoint, endpoints),
    };
  });
}

/** Groups whose node is a server outside: each is that server at one more path. */
export function outsideGroups(
  groups: readonly ServerGroupPlan[],
  outside: readonly OutsidePublished[],
): OutsidePublished[] {
  return groups.flatMap(({ name: group, model }) =>
    outside
      .filter(({ name }) => name === model)
      .map(({ names, pathNames = names, ...server }) => ({
        ...server,
        name: group,
        model,
        names: [],
        pathNames,
        shortcuts: shortcuts(server.task),
      })),
  );
}

/** `/infer`, and the task's own path without `/v1`: what clients append that take the group's address for their base URL. */
function shortcuts(task: ModelTask): Record<string, string> {
  const path = TASK_PATHS[task];
  return { [NODE_INFER_PATH]: path, [path.replace(/^\/(cohere\/)?v\d+/, "")]: path };
}
