import type { Message } from '../../src/shared/base/text.ts'

export function textsIn(script: string): readonly Message[]
export function allTexts(): readonly Message[]
