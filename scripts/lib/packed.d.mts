/** Types of packed.mjs, for the end-to-end specs. */
export interface PackedProgram {
  readonly command: string
  readonly args: readonly string[]
}
export function packedProgram(): PackedProgram | undefined
