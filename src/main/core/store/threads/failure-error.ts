import { CodedError, type Failure } from '../../../../shared/base/errors.ts'

/** A Failure that came over from a thread, as the error it was. */
export function failureError({ code, message, hint, detail }: Failure): CodedError {
  return new CodedError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(detail === undefined ? {} : { cause: new Error(detail) }),
  })
}
