/** Short sounds synthesized from tones, so there are no files to load. */

/** A tone: frequency (Hz), start and length (s), and waveform. */
interface Tone {
  readonly hz: number
  readonly at: number
  readonly length: number
}

const SOUNDS = {
  chime: {
    wave: 'sine',
    tones: [
      { hz: 880, at: 0, length: 0.5 },
      { hz: 1_318.5, at: 0.12, length: 0.7 },
    ],
  },
  bell: {
    wave: 'triangle',
    tones: [
      { hz: 1_046.5, at: 0, length: 0.9 },
      { hz: 2_093, at: 0, length: 0.4 },
    ],
  },
  knock: {
    wave: 'square',
    tones: [
      { hz: 220, at: 0, length: 0.07 },
      { hz: 220, at: 0.14, length: 0.07 },
    ],
  },
} as const satisfies Record<string, { readonly wave: OscillatorType; readonly tones: readonly Tone[] }>
export type SoundName = keyof typeof SOUNDS

const LOUDNESS = 0.18
let context: AudioContext | undefined

/** Plays a sound. Browsers stay silent until the first click or key press in the page. */
export function playSound(name: SoundName): void {
  if (typeof AudioContext === 'undefined') return
  try {
    context ??= new AudioContext()
    if (context.state === 'suspended') void context.resume().catch(() => undefined)
    const { wave, tones } = SOUNDS[name]
    const now = context.currentTime
    for (const { hz, at, length } of tones) {
      const tone = context.createOscillator()
      const gain = context.createGain()
      tone.type = wave
      tone.frequency.value = hz
      gain.gain.setValueAtTime(0.0001, now + at)
      gain.gain.exponentialRampToValueAtTime(LOUDNESS, now + at + 0.01)
      gain.gain.exponentialRampToValueAtTime(0.0001, now + at + length)
      tone.connect(gain).connect(context.destination)
      tone.start(now + at)
      tone.stop(now + at + length)
    }
  } catch {
    // No sound device: the alert still shows in the toast, the list and the log.
  }
}
