/** How pods join the mesh: the planner counts what each takes of nodes. */
export type { MeshMode } from "../../planner/mesh-reserve";
