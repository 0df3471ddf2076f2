/** Mesh mode: the planner includes its node overhead. */
export type { MeshMode } from "../../planner/mesh-reserve";
