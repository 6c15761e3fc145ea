; The command line on the user's path, and a word about the data on the way out.
!macro changePath EXPRESSION
  nsExec::Exec `powershell -NoProfile -NonInteractive -Command "$$bin = '$INSTDIR\resources\bin'; $$rest = @([Environment]::GetEnvironmentVariable('Path', 'User') -split ';' | Where-Object { $$_ -and $$_ -ne $$bin }); [Environment]::SetEnvironmentVariable('Path', (${EXPRESSION}) -join ';', 'User')"`
  Pop $0
!macroend

!macro customInstall
  !insertmacro changePath "$$rest + $$bin"
!macroend

!macro customUnInstall
  !insertmacro changePath "$$rest"
  ${ifNot} ${isUpdated}
    MessageBox MB_OK|MB_ICONINFORMATION "Your recordings and settings stay in $APPDATA\Tapedeck. Delete that folder if you want them gone." /SD IDOK
  ${endIf}
!macroend
