import type { Linter } from 'eslint'

export declare const SHELVES: Readonly<Record<string, readonly string[]>>
export declare const EXCEPTIONS: ReadonlySet<string>
export declare const houseWalls: Linter.Config[]
export declare function findWall(from: string, to: string, typesOnly: boolean): string | null
export declare function readImports(
  path: string,
  text: string,
): readonly { readonly to: string; readonly typesOnly: boolean }[]
export declare function findFileCircles(imports: readonly { readonly from: string; readonly to: string }[]): string[][]
export declare const CIRCULAR: readonly string[]
export declare function findFolderCircles(
  imports: readonly { readonly from: string; readonly to: string }[],
): string[][]
