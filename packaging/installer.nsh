; Adds the command line to the user's path, and says where the data is when uninstalling.
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
    MessageBox MB_OK|MB_ICONINFORMATION "Your recordings and settings are still in $APPDATA\Tapedeck. Delete that folder to remove them." /SD IDOK
  ${endIf}
!macroend
